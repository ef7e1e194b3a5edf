// The tables of a capture file (docs/format.md): one list, from which creating, writing and reading follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wl::capture {

constexpr uint32_t kApplicationId = 0x574C4E53;  // 'WLNS'
constexpr uint32_t kMajor = 4, kMinor = 0;       // PRAGMA user_version = major * 10000 + minor
constexpr uint32_t kPageSize = 4096;
constexpr size_t kEventsPerPage = 8192;

// Columns in order; the first is the row's number, counted from 0. The file's table has one more behind them:
// check_xxh3, a hash over the table's name and all columns before it. A later minor version appends columns
// after that (ALTER TABLE ADD COLUMN), which readers of this version ignore.
struct Table {
    std::string_view name, columns;
};

enum TableIndex : uint8_t {
    kLaunch,
    kLaunched,
    kSource,
    kSite,
    kProbe,
    kBlob,
    kTile,
    kOutput,
    kRecord,
    kEventPage,
    kFinding,
    kPlace,
    kItem,
    kTableCount,
};
extern const std::array<Table, kTableCount> kTables;

std::string create_sql(const Table& table);  // CREATE TABLE
std::string insert_sql(const Table& table);  // all columns and the check, as parameters
std::string select_sql(const Table& table);  // the same columns, by rising row number

extern const std::string_view kMetaSql;
// What a reader that leaves the blobs in the file checks in place of "seal".
constexpr const char* kSealButBlobs = "seal_but_blobs";
extern const std::array<std::string_view, 2> kIndexSql;
extern const std::array<std::string_view, 2> kViewSql;  // for people; the reader uses no view

}  // namespace wl::capture
