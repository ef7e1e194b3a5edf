// A recorded launch out of bytes that anybody may have made: nothing is used before it was checked.
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/launches/launch_schema.h"

#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <utility>
#include <zstd.h>

namespace wl::launches {
namespace {

using capture::DatabaseFault;

struct File {
    capture::Database database;
    size_t size = 0;
    std::string name;  // in messages
    capture::Seal seal;
};

void check_schema(const File& file) {
    const capture::Statement statement =
        capture::prepare(file.database.get(), "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");
    size_t known = 0;
    while (capture::step(file.database.get(), statement.get())) {
        const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0));
        const std::string sql(data == nullptr ? "" : data);
        bool ours = sql == capture::kMetaSql;
        for (const capture::Table& table : kTables) ours = ours || sql == capture::create_sql(table);
        if (!ours) throw DatabaseFault("it holds a table that this version does not define");
        ++known;
    }
    if (known != kTables.size() + 1) throw DatabaseFault("a table is missing");
}

template <class T, class Use>
void read_table(File& file, TableIndex table, Use use) {
    capture::RowReader row(
        file.database.get(), capture::select_sql(kTables[table]), kTables[table].name, &file.seal
    );
    capture::ReadRow read{row};
    for (int64_t expected = 0; row.next_row(); ++expected) {
        if (row.integer() != expected) row.fail("rows are missing or out of order");
        T value;
        columns(read, value);
        row.end_row();
        if (row.bytes() > file.size) row.fail("the table claims more bytes than the file has");
        use(value, row);
    }
}

// Bytes follow each other without gaps; a page is as long as its frame says and no longer than pages are.
void add_page(
    RecordedLaunch& launch,
    const PageRow& page,
    uint64_t claimed,
    uint64_t& unpacked,
    const capture::RowReader& row
) {
    if (page.memory < 0 || std::cmp_greater_equal(page.memory, launch.memory.size()))
        row.fail("it is of no memory");
    Memory& memory = launch.memory[static_cast<size_t>(page.memory)];
    std::vector<std::byte>& to = page.after ? memory.left : memory.before;
    if (page.first != to.size() || page.bytes == 0 || page.bytes > kPageBytes)
        row.fail("bytes are missing or out of order");
    if (page.bytes > claimed - unpacked) row.fail("it holds more bytes than its memory has");
    unpacked += page.bytes;
    if (ZSTD_getFrameContentSize(page.packed.data(), page.packed.size()) != page.bytes)
        row.fail("its bytes are damaged");
    to.resize(to.size() + page.bytes);
    const size_t size =
        ZSTD_decompress(to.data() + page.first, page.bytes, page.packed.data(), page.packed.size());
    if (ZSTD_isError(size) != 0 || size != page.bytes) row.fail("its bytes are damaged");
}

// Bytes of all memory, before anything is made room for.
uint64_t check_claims(const File& file, const RecordedLaunch& launch, const std::vector<uint64_t>& sizes) {
    uint64_t all = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
        for (int copy = 0; copy < (launch.memory[i].after == After::changed ? 2 : 1); ++copy)
            if (__builtin_add_overflow(all, sizes[i], &all)) all = UINT64_MAX;
    check_unpacked(all, file.size, file.name);
    return all;
}

void read_memory(File& file, RecordedLaunch& launch) {
    std::vector<uint64_t> sizes;
    read_table<MemoryRow>(file, kMemory, [&](MemoryRow& found, const capture::RowReader&) {
        launch.memory.push_back(std::move(found.memory));
        sizes.push_back(found.bytes);
    });
    const uint64_t claimed = check_claims(file, launch, sizes);
    uint64_t unpacked = 0;
    read_table<PageRow>(file, kPage, [&](const PageRow& page, const capture::RowReader& row) {
        check_stop();
        add_page(launch, page, claimed, unpacked, row);
    });
    for (size_t i = 0; i < sizes.size(); ++i)
        if (launch.memory[i].before.size() != sizes[i])
            throw DatabaseFault(fmt::format("table page lacks bytes of memory {}", i));
}

std::string meta_value(const File& file, std::string_view wanted) {
    capture::RowReader row(file.database.get(), "SELECT key, value, check_xxh3 FROM meta", "meta", nullptr);
    std::string out;
    while (row.next_row()) {
        const std::string key(row.text()), value(row.text());
        row.end_row();
        if (key == wanted) out = value;
    }
    return out;
}

RecordedLaunch read_tables(File& file) {
    check_schema(file);
    RecordedLaunch launch;
    int rows = 0;
    read_table<RecordedLaunch>(file, kLaunch, [&](RecordedLaunch& found, const capture::RowReader&) {
        launch = std::move(found);
        ++rows;
    });
    if (rows != 1) throw DatabaseFault(fmt::format("table launch has {} rows instead of one", rows));
    read_memory(file, launch);
    read_table<WordRow>(file, kWord, [&](WordRow& word, const capture::RowReader& row) {
        if (word.list != "command" && word.list != "note") row.fail("unknown list '" + word.list + "'");
        (word.list == "note" ? launch.notes : launch.command).push_back(std::move(word.text));
    });
    if (file.seal.hex() != meta_value(file, "seal"))
        throw DatabaseFault("rows are missing or were exchanged");
    return launch;
}

}  // namespace

RecordedLaunch decode(std::span<const std::byte> bytes, const std::string& name) {
    const capture::Header header = capture::read_header(bytes, bytes.size(), name, kLaunchFile);
    if (header.major != kMajor || header.minor != kMinor)
        throw Error(fmt::format(
            "{} has the format {}.{} of recorded launches; this WarpLens reads format {}.{}. Record it "
            "again, "
            "or open it with the version that wrote it.",
            name,
            header.major,
            header.minor,
            kMajor,
            kMinor
        ));
    try {
        capture::ReadingTime limit = capture::reading_time(bytes.size());
        File file{capture::open_bytes(bytes, &limit), bytes.size(), name, {}};
        RecordedLaunch launch = read_tables(file);
        if (const std::string problem = inconsistency(launch); !problem.empty()) throw DatabaseFault(problem);
        return launch;
    } catch (const DatabaseFault& fault) {
        throw Error(fmt::format("{} is damaged: {}. Record it again.", name, fault.what()));
    }
}

RecordedLaunch read_launch(const std::string& path) {
    try {
        const std::string text = read_text_file(path);
        return decode(std::as_bytes(std::span(text)), path);
    } catch (const std::bad_alloc&) {
        throw Error(path + " is too large: this machine's memory cannot hold it.");
    } catch (const std::length_error&) { throw Error(path + " is too large: no memory can hold it."); }
}

}  // namespace wl::launches
