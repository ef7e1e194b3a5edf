// Captures with a text of one's choice behind every text of one column, sealed as the program seals its own:
// a file a column, one of all columns together that are read at all, and one with a reason in `unsupported`.
// A line on stdout says of each file whether it is read: "TABLE.COLUMN read", or "TABLE.COLUMN refused: why".
#include "instrumentation/base/error.h"
#include "instrumentation/capture/database.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/schema.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace wl::capture;
// `key`: of the table of keys and values, whose rows are columns of their own.
struct Column {
    std::string table, column, key;
};
using Columns = std::vector<Column>;

std::string name_of(const Column& c) { return c.table + "." + c.column + (c.key.empty() ? "" : "." + c.key); }

std::string text_of(const Statement& row, int column) {
    return reinterpret_cast<const char*>(sqlite3_column_text(row.get(), column));
}

Database open_to_write(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    Database database(opened);
    check(opened, code);
    return database;
}

Columns text_columns(sqlite3* database) {
    Columns out;
    const Statement all = prepare(
        database,
        "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name <> 'meta'"
    );
    while (step(database, all.get())) out.push_back({text_of(all, 0), text_of(all, 1), ""});
    const Statement keys = prepare(database, "SELECT key FROM meta WHERE key NOT LIKE 'seal%'");
    while (step(database, keys.get())) out.push_back({"meta", "value", text_of(keys, 0)});
    return out;
}

int64_t digest_of(sqlite3_stmt* row, std::string_view table) {
    RowDigest digest;
    digest.begin(table);
    for (int column = 0; column + 1 < sqlite3_column_count(row); ++column) {
        const auto bytes = static_cast<size_t>(sqlite3_column_bytes(row, column));
        const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(row, column));
        switch (sqlite3_column_type(row, column)) {
            case SQLITE_INTEGER: digest.add_integer(sqlite3_column_int64(row, column)); break;
            case SQLITE_FLOAT: digest.add_real(sqlite3_column_double(row, column)); break;
            case SQLITE_TEXT: digest.add_text({reinterpret_cast<const char*>(data), bytes}); break;
            case SQLITE_BLOB: digest.add_blob(content_hash({data, bytes}), bytes); break;
            default: digest.add_null();
        }
    }
    return digest.value();
}

// `select` finds the columns of the rows with their check last; `update` sets it, by the first column.
void check_rows(
    sqlite3* database,
    const std::string& select,
    const std::string& update,
    std::string_view table,
    Seal* seal
) {
    const Statement rows = prepare(database, select);
    while (step(database, rows.get())) {
        const int64_t value = digest_of(rows.get(), table);
        if (seal) seal->add(value);
        const Statement set = prepare(database, update);
        sqlite3_bind_int64(set.get(), 1, value);
        sqlite3_bind_value(set.get(), 2, sqlite3_column_value(rows.get(), 0));
        step(database, set.get());
    }
}

void set_meta(sqlite3* database, const char* key, const std::string& value) {
    const Statement set = prepare(database, "UPDATE meta SET value = ?1 WHERE key = ?2");
    sqlite3_bind_text(set.get(), 1, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    sqlite3_bind_text(set.get(), 2, key, -1, SQLITE_TRANSIENT);
    step(database, set.get());
}

void seal_again(sqlite3* database) {
    Seal all;
    size_t first_blob = 0, behind_blobs = 0;
    for (const Table& table : kTables) {
        const std::string name(table.name), id(table.columns.substr(0, table.columns.find(' ')));
        if (name == "blob") first_blob = all.size();
        check_rows(
            database,
            select_sql(table),
            "UPDATE " + name + " SET check_xxh3 = ?1 WHERE " + id + " = ?2",
            name,
            &all
        );
        if (name == "blob") behind_blobs = all.size();
    }
    set_meta(database, "seal", all.hex());
    set_meta(database, kSealButBlobs, all.without(first_blob, behind_blobs).hex());
    check_rows(
        database,
        "SELECT key, value, check_xxh3 FROM meta",
        "UPDATE meta SET check_xxh3 = ?1 WHERE key = ?2",
        "meta",
        nullptr
    );
}

// The sentence of a file that is refused; else empty.
std::string append_to(const std::string& path, const Columns& columns, const std::string& text) {
    {
        const Database database = open_to_write(path);
        execute(database.get(), "PRAGMA journal_mode=OFF");
        execute(database.get(), "BEGIN");
        for (const auto& [table, column, key] : columns) {
            const std::string where = key.empty() ? "" : " WHERE key = ?2";
            const std::string sql = "UPDATE " + table + " SET " + column + " = " + column + " || ?1" + where;
            const Statement set = prepare(database.get(), sql);
            sqlite3_bind_text(set.get(), 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
            if (!key.empty()) sqlite3_bind_text(set.get(), 2, key.c_str(), -1, SQLITE_TRANSIENT);
            step(database.get(), set.get());
            if (sqlite3_changes(database.get()) == 0)
                throw std::runtime_error(table + " has no rows: add one here");
        }
        seal_again(database.get());
        execute(database.get(), "COMMIT");
    }
    try {
        read_capture(path);
        return {};
    } catch (const wl::Error& refused) { return refused.what(); }
}

// The elements of a tile a mark, at its first iteration; without most of the events.
void make_small(Capture& c) {
    BlobStore kept;
    for (Tile& t : c.tiles) {
        const bool shown = t.block != kWholeLaunch && t.iteration == 0;
        for (BlobId* id : {&t.values, &t.reference, &t.bound, &t.owner})
            *id = *id == kNoBlob || !shown ? kNoBlob : add_blob(kept, content_of(c.blobs, *id));
    }
    c.blobs = std::move(kept);
    for (BlockRecord& record : c.records) record.events.resize(std::min<size_t>(record.events.size(), 1000));
}

// Every table has rows, and every list of names an entry.
Capture full_capture() {
    Capture c = wl::testing::synthetic_capture();
    make_small(c);
    c.launch.name = "first", c.launch.all = 2;
    Launched launched;
    launched.name = "first", launched.entry = "attention", launched.said = "ended early";
    launched.grid = c.launch.grid, launched.block = c.launch.block, launched.blocks = 64;
    c.launches = {launched, launched};
    c.findings[0].other = c.findings[0].where;
    c.covered.assumed = {"shape"};
    return c;
}

void make_all(const std::string& folder, const std::string& text) {
    const std::string plain = folder + "/plain.wlcap", all = folder + "/all.wlcap";
    write_capture(full_capture(), plain);
    Columns read;
    for (const Column& column : text_columns(open_to_write(plain).get())) {
        const std::string name = name_of(column), path = folder + "/" + name + ".wlcap";
        fs::copy_file(plain, path);
        const std::string why = append_to(path, {column}, text);
        if (why.empty()) read.push_back(column);
        std::printf("%s %s%s\n", name.c_str(), why.empty() ? "read" : "refused: ", why.c_str());
    }
    fs::copy_file(plain, all);
    if (const std::string why = append_to(all, read, text); !why.empty()) throw std::runtime_error(why);
    Capture lacking = full_capture();
    lacking.unsupported = {"the kernel needs what is lacking " + text};
    lacking.verdict = "unsupported";
    write_capture(lacking, folder + "/unsupported.wlcap");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) {
            std::fputs("usage: hostile_capture FOLDER TEXT\n", stderr);
            return 2;
        }
        make_all(argv[1], argv[2]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
