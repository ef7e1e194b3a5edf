// The tables of a .wllaunch file: which field is which column, for writing and reading alike.
#pragma once

#include "instrumentation/capture/header.h"
#include "instrumentation/capture/rows.h"
#include "instrumentation/capture/schema.h"
#include "instrumentation/launches/launch_file.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace wl::launches {

constexpr capture::FileKind kLaunchFile{0x574C4C41, "recorded launch"};  // 'WLLA'
constexpr uint32_t kMajor = 1, kMinor = 0;
constexpr size_t kPageBytes = size_t{8} << 20;  // of memory in one row

constexpr std::array<std::string_view, 3> kAfterNames = {"unknown", "unchanged", "changed"};

// A stretch of memory without its bytes; these are in pages of it, zstd frames.
struct MemoryRow {
    Memory memory;
    uint64_t bytes = 0;
};
struct PageRow {
    int64_t memory = 0;
    bool after = false;
    uint64_t first = 0, bytes = 0;
    std::span<const std::byte> packed;
};
// Of the lists: a word of the command, a note.
struct WordRow {
    std::string list, text;
};

constexpr std::array<capture::Table, 4> kTables = {
    {{"launch",
      "launch_id INTEGER PRIMARY KEY, ptx TEXT NOT NULL, image TEXT NOT NULL, entry TEXT NOT NULL, grid TEXT "
      "NOT NULL, block TEXT NOT NULL, dynamic_shared INTEGER NOT NULL, stack INTEGER NOT NULL, cooperative "
      "INTEGER NOT NULL, params BLOB NOT NULL, device TEXT NOT NULL, fault TEXT NOT NULL, number INTEGER NOT "
      "NULL, of_entry INTEGER NOT NULL"},
     {"memory",
      "memory_id INTEGER PRIMARY KEY, name TEXT NOT NULL, is_variable INTEGER NOT NULL, base INTEGER NOT "
      "NULL, bytes INTEGER NOT NULL, after TEXT NOT NULL"},
     {"page",
      "page_id INTEGER PRIMARY KEY, memory_id INTEGER NOT NULL, after INTEGER NOT NULL, first INTEGER NOT "
      "NULL, bytes INTEGER NOT NULL, packed BLOB NOT NULL"},
     {"word", "word_id INTEGER PRIMARY KEY, list TEXT NOT NULL, text TEXT NOT NULL"}}
};
enum TableIndex : uint8_t { kLaunch, kMemory, kPage, kWord };

template <class Row>
void columns(Row& row, capture::Field<Row, RecordedLaunch>& x) {
    row(x.ptx), row(x.image), row(x.entry), row(x.grid), row(x.block), row(x.dynamic_shared), row(x.stack);
    row(x.cooperative);
    if constexpr (Row::kReads) {
        std::span<const std::byte> params;
        row(params);
        x.params.assign(params.begin(), params.end());
    } else {
        row(std::span<const std::byte>(x.params));
    }
    row(x.device), row(x.fault), row(x.number), row(x.of_entry);
}
template <class Row>
void columns(Row& row, capture::Field<Row, MemoryRow>& x) {
    row(x.memory.name), row(x.memory.is_variable), row(x.memory.base), row(x.bytes);
    row.named(x.memory.after, kAfterNames);
}
template <class Row>
void columns(Row& row, capture::Field<Row, PageRow>& x) {
    row(x.memory), row(x.after), row(x.first), row(x.bytes), row(x.packed);
}
template <class Row>
void columns(Row& row, capture::Field<Row, WordRow>& x) {
    row(x.list), row(x.text);
}

}  // namespace wl::launches
