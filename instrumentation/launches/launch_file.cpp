// What a recorded launch has to be, and its way to the disk.
#include "instrumentation/launches/launch_file.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/launch_limits.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/launches/launch_schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <zstd.h>

namespace wl::launches {
namespace {

constexpr size_t kMostParams = 32768;  // bytes: PTX ISA 9.0, 5.1.6, as of sm_70
constexpr int kLevel = 1;              // zstd: memory of a GPU by the gigabyte

class TableWriter {
public:
    TableWriter(sqlite3* database, TableIndex table, capture::Seal& seal) :
        row_(database, capture::insert_sql(kTables[table]), kTables[table].name, &seal) {}

    template <class T>
    void add(const T& value) {
        row_.begin_row();
        capture::WriteRow write{row_};
        write(next_++);
        columns(write, value);
        row_.end_row();
    }

private:
    capture::RowWriter row_;
    int64_t next_ = 0;
};

void add_pages(TableWriter& table, int64_t memory, bool after, std::span<const std::byte> bytes) {
    std::vector<std::byte> packed(ZSTD_compressBound(kPageBytes));
    for (size_t first = 0; first < bytes.size(); first += kPageBytes) {
        const auto page = bytes.subspan(first, std::min(kPageBytes, bytes.size() - first));
        const size_t size = ZSTD_compress(packed.data(), packed.size(), page.data(), page.size(), kLevel);
        if (ZSTD_isError(size) != 0) throw capture::DatabaseFault(ZSTD_getErrorName(size));
        table.add(PageRow{memory, after, first, page.size(), std::span(packed).first(size)});
    }
}

void write_tables(sqlite3* database, const RecordedLaunch& launch) {
    capture::Seal seal;
    capture::execute(database, std::string(capture::kMetaSql));
    for (const capture::Table& table : kTables) capture::execute(database, capture::create_sql(table));
    TableWriter(database, kLaunch, seal).add(launch);
    TableWriter memory(database, kMemory, seal);
    for (const Memory& m : launch.memory)
        memory.add(MemoryRow{
            {m.name, m.is_variable, m.base, {}, m.after, {}},
            m.before.size()
        });
    TableWriter pages(database, kPage, seal);
    for (size_t i = 0; i < launch.memory.size(); ++i) {
        add_pages(pages, static_cast<int64_t>(i), false, launch.memory[i].before);
        if (launch.memory[i].after == After::changed)
            add_pages(pages, static_cast<int64_t>(i), true, launch.memory[i].left);
    }
    TableWriter words(database, kWord, seal);
    for (const std::string& word : launch.command) words.add(WordRow{"command", word});
    for (const std::string& note : launch.notes) words.add(WordRow{"note", note});
    capture::RowWriter meta(
        database, "INSERT INTO meta(key, value, check_xxh3) VALUES(?, ?, ?)", "meta", nullptr
    );
    for (const auto& [key, value] : {
             std::pair{"tool_version", std::string(WL_VERSION)},
             {"seal",         seal.hex()             }
    }) {
        meta.begin_row();
        meta.text(key), meta.text(value);
        meta.end_row();
    }
}

struct Serialized {
    std::unique_ptr<unsigned char, void (*)(void*)> data{nullptr, sqlite3_free};
    sqlite3_int64 size = 0;
    std::span<const std::byte> bytes() const {
        return std::as_bytes(std::span(data.get(), static_cast<size_t>(size)));
    }
};

Serialized serialize(const RecordedLaunch& launch, const std::string& name) {
    if (const std::string problem = inconsistency(launch); !problem.empty())
        throw Error(fmt::format("cannot write {}: {}.", name, problem));
    try {
        const capture::Database database = capture::open_in_memory();
        sqlite3* db = database.get();
        capture::execute(db, fmt::format("PRAGMA page_size={}", capture::kPageSize));
        capture::execute(db, fmt::format("PRAGMA application_id={}", kLaunchFile.application_id));
        capture::execute(db, fmt::format("PRAGMA user_version={}", kMajor * 10000 + kMinor));
        capture::execute(db, "PRAGMA journal_mode=OFF");
        capture::execute(db, "BEGIN");
        write_tables(db, launch);
        capture::execute(db, "COMMIT");
        Serialized file;
        file.data.reset(sqlite3_serialize(db, "main", &file.size, 0));
        if (!file.data) throw capture::DatabaseFault("out of memory");
        return file;
    } catch (const capture::DatabaseFault& fault) {
        throw Error(fmt::format("cannot write {}: {}.", name, fault.what()));
    }
}

// Of allocations and of variables whose address is known: two that share a byte; empty: none do.
std::string overlap(const RecordedLaunch& launch) {
    std::vector<const Memory*> all;
    for (const Memory& m : launch.memory)
        if (m.base != 0) all.push_back(&m);
    std::sort(all.begin(), all.end(), [](const Memory* a, const Memory* b) { return a->base < b->base; });
    for (size_t i = 0; i < all.size(); ++i) {
        const uint64_t end = all[i]->base + all[i]->before.size();
        if (end < all[i]->base)
            return fmt::format("memory at 0x{:x} ends beyond all addresses", all[i]->base);
        if (i + 1 < all.size() && end > all[i + 1]->base)
            return fmt::format("memory at 0x{:x} and at 0x{:x} overlap", all[i]->base, all[i + 1]->base);
    }
    return {};
}

}  // namespace

void set_left(Memory& memory, std::vector<std::byte> bytes) {
    memory.after = bytes == memory.before ? After::unchanged : After::changed;
    memory.left = memory.after == After::changed ? std::move(bytes) : std::vector<std::byte>{};
}

bool is_launch_file(const std::string& path) { return path.ends_with(".wllaunch"); }

std::string inconsistency(const RecordedLaunch& launch) {
    if (launch.entry.empty()) return "the kernel has no name";
    const LaunchShape shape{
        {launch.grid.x,  launch.grid.y,  launch.grid.z },
        {launch.block.x, launch.block.y, launch.block.z},
        launch.dynamic_shared,
        launch.stack
    };
    const std::string beyond =
        launch_problem(shape, [](const std::string& key) { return "the launch's " + key; });
    if (!beyond.empty()) return beyond.substr(0, beyond.size() - 1);  // part of a sentence
    if (launch.params.size() > kMostParams)
        return fmt::format("{} bytes of parameters are more than a kernel can have", launch.params.size());
    for (const Memory& m : launch.memory) {
        if (m.is_variable ? m.name.empty() : m.base == 0)
            return m.is_variable ? "a variable has no name" : "an allocation has no address";
        if (m.left.size() != (m.after == After::changed ? m.before.size() : 0))
            return fmt::format("memory at 0x{:x} has another size after the launch", m.base);
    }
    return overlap(launch);
}

std::vector<std::byte> encode(const RecordedLaunch& launch, const std::string& name) {
    const Serialized file = serialize(launch, name);
    return {file.bytes().begin(), file.bytes().end()};
}

void write_launch(const RecordedLaunch& launch, const std::string& path) {
    const Saving saving;
    write_file_atomically(path, serialize(launch, path).bytes());
    note_saved();
}

}  // namespace wl::launches
