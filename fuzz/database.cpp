// Reading as any program does; writing around the checks that SQLite makes for an honest writer.
#include "fuzz/database.h"

#include "instrumentation/capture/capture.h"
#include "instrumentation/capture/database.h"

#include <algorithm>
#include <memory>
#include <new>
#include <sqlite3.h>
#include <stdexcept>

namespace wl::fuzz {
namespace {

using capture::Database;
using capture::execute;
using capture::prepare;
using capture::RowDigest;
using capture::Seal;
using capture::Statement;

Cell cell_of(sqlite3_stmt* statement, int column) {
    Cell cell;
    cell.type = sqlite3_column_type(statement, column);
    cell.integer = sqlite3_column_int64(statement, column);
    cell.real = sqlite3_column_double(statement, column);
    if (cell.type == SQLITE_TEXT || cell.type == SQLITE_BLOB) {
        const void* data = sqlite3_column_blob(statement, column);
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
        if (size > 0) cell.bytes.assign(static_cast<const char*>(data), size);
    }
    return cell;
}

std::vector<Row> rows_of(sqlite3* database, const std::string& select) {
    std::vector<Row> rows;
    const Statement statement = prepare(database, select);
    while (capture::step(database, statement.get())) {
        Row& row = rows.emplace_back();
        for (int column = 0; column < sqlite3_column_count(statement.get()); ++column)
            row.push_back(cell_of(statement.get(), column));
    }
    return rows;
}

int64_t check_of(std::string_view table, const Row& row) {
    RowDigest digest;
    digest.begin(table);
    for (size_t column = 0; column + 1 < row.size(); ++column) {
        const Cell& cell = row[column];
        const auto bytes = std::as_bytes(std::span(cell.bytes));
        switch (cell.type) {
            case SQLITE_INTEGER: digest.add_integer(cell.integer); break;
            case SQLITE_FLOAT: digest.add_real(cell.real); break;
            case SQLITE_TEXT: digest.add_text(cell.bytes); break;
            case SQLITE_BLOB: digest.add_blob(capture::content_hash(bytes), bytes.size()); break;
            default: digest.add_null();
        }
    }
    return digest.value();
}

void set_meta(Content& content, const std::string& key, const std::string& value) {
    for (Fact& fact : content.meta)
        if (fact.key == key) fact.value = value;
}

Row row_of(const Fact& fact) {
    return {
        {SQLITE_TEXT,    0,          0, fact.key  },
        {SQLITE_TEXT,    0,          0, fact.value},
        {SQLITE_INTEGER, fact.check, 0, {}        }
    };
}

void renew(Content& content, const Schema& schema, bool seals_too) {
    Seal seal;
    size_t first = 0, behind = 0;
    for (size_t table = 0; table < schema.tables.size(); ++table) {
        const bool left_out = static_cast<int>(table) == schema.left_out;
        if (left_out) first = seal.size();
        for (Row& row : content.tables[table]) {
            const int64_t check = check_of(schema.tables[table].name, row);
            row.back() = {SQLITE_INTEGER, check, 0, {}};
            seal.add(check);
        }
        if (left_out) behind = seal.size();
    }
    if (seals_too) {
        set_meta(content, "seal", seal.hex());
        if (schema.left_out >= 0)
            set_meta(content, capture::kSealButBlobs, seal.without(first, behind).hex());
    }
    for (Fact& fact : content.meta) fact.check = check_of("meta", row_of(fact));
}

// The cell has to live until the statement is done.
void bind(sqlite3* database, sqlite3_stmt* statement, int column, const Cell& cell) {
    const auto size = static_cast<sqlite3_uint64>(cell.bytes.size());
    switch (cell.type) {
        case SQLITE_INTEGER:
            capture::check(database, sqlite3_bind_int64(statement, column, cell.integer));
            break;
        case SQLITE_FLOAT: capture::check(database, sqlite3_bind_double(statement, column, cell.real)); break;
        case SQLITE_TEXT:
            capture::check(
                database,
                sqlite3_bind_text64(statement, column, cell.bytes.c_str(), size, SQLITE_STATIC, SQLITE_UTF8)
            );
            break;
        case SQLITE_BLOB:
            capture::check(
                database, sqlite3_bind_blob64(statement, column, cell.bytes.c_str(), size, SQLITE_STATIC)
            );
            break;
        default: capture::check(database, sqlite3_bind_null(statement, column));
    }
}

// Two rows of one number cannot be: the later one stays.
void insert(sqlite3* database, const std::string& table, const std::vector<Row>& rows) {
    if (rows.empty()) return;
    std::string sql = "INSERT OR REPLACE INTO " + table + " VALUES(?";
    for (size_t column = 1; column < rows.front().size(); ++column) sql += ", ?";
    const Statement statement = prepare(database, sql + ")");
    for (const Row& row : rows) {
        for (size_t column = 0; column < row.size(); ++column)
            bind(database, statement.get(), static_cast<int>(column) + 1, row[column]);
        capture::step(database, statement.get());
        capture::check(database, sqlite3_reset(statement.get()));
    }
}

// "x(a INTEGER PRIMARY KEY, b TEXT NOT NULL)" -> "x(a INTEGER PRIMARY KEY, b, check_xxh3)": columns that take
// values of any type as they are.
std::string untyped(const capture::Table& table) {
    std::string sql = "CREATE TABLE " + std::string(table.name) + "(";
    for (size_t begin = 0; begin < table.columns.size();) {
        const size_t end = std::min(table.columns.find(", ", begin), table.columns.size());
        const std::string_view column = table.columns.substr(begin, end - begin);
        sql += begin == 0 ? column : column.substr(0, column.find(' '));
        sql += ", ";
        begin = end + 2;
    }
    return sql + "check_xxh3)";
}

void name_schema(sqlite3* database, std::string_view table, const std::string& sql) {
    const Statement statement =
        prepare(database, "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?");
    const Cell text{SQLITE_TEXT, 0, 0, sql}, name{SQLITE_TEXT, 0, 0, std::string(table)};
    bind(database, statement.get(), 1, text);
    bind(database, statement.get(), 2, name);
    capture::step(database, statement.get());
}

void write_tables(sqlite3* database, const Content& content, const Schema& schema) {
    execute(database, "CREATE TABLE meta(key PRIMARY KEY, value, check_xxh3) WITHOUT ROWID");
    for (const capture::Table& table : schema.tables) execute(database, untyped(table));
    for (size_t table = 0; table < schema.tables.size(); ++table)
        insert(database, std::string(schema.tables[table].name), content.tables[table]);
    std::vector<Row> meta;
    for (const Fact& fact : content.meta) meta.push_back(row_of(fact));
    insert(database, "meta", meta);
    for (const std::string_view sql : schema.more) execute(database, std::string(sql));
    execute(database, "PRAGMA writable_schema=ON");
    name_schema(database, "meta", std::string(capture::kMetaSql));
    for (const capture::Table& table : schema.tables)
        name_schema(database, table.name, capture::create_sql(table));
}

}  // namespace

std::set<std::string> renewed_of(const std::set<std::string>& touched, Seals seals) {
    if (seals == Seals::renewed) return touched;
    const bool meta = seals == Seals::rows_renewed && touched.contains("meta");
    return meta ? std::set<std::string>{"meta"} : std::set<std::string>{};
}

Content read_content(std::string_view file, const Schema& schema) {
    capture::ReadingTime limit = capture::reading_time(file.size());
    const Database database = capture::open_bytes(std::as_bytes(std::span(file)), &limit);
    Content content;
    for (const capture::Table& table : schema.tables)
        content.tables.push_back(rows_of(database.get(), capture::select_sql(table)));
    for (const Row& row : rows_of(database.get(), "SELECT key, value, check_xxh3 FROM meta"))
        content.meta.push_back({row[0].bytes, row[1].bytes, row[2].integer});
    return content;
}

std::string write_content(Content content, const Schema& schema, Seals seals) {
    if (seals != Seals::kept) renew(content, schema, seals == Seals::renewed);
    const Database database = capture::open_in_memory();
    sqlite3* db = database.get();
    execute(db, "PRAGMA page_size=" + std::to_string(capture::kPageSize));
    execute(db, "PRAGMA application_id=" + std::to_string(schema.application_id));
    execute(db, "PRAGMA user_version=" + std::to_string(schema.version));
    execute(db, "PRAGMA journal_mode=OFF");
    execute(db, "BEGIN");
    write_tables(db, content, schema);
    execute(db, "COMMIT");
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> data(
        sqlite3_serialize(db, "main", &size, 0), sqlite3_free
    );
    if (!data) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(data.get()), static_cast<size_t>(size)};
}

}  // namespace wl::fuzz
