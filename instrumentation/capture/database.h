// SQLite held by values: a database in memory, its statements, and rows that carry a hash of themselves.
#pragma once

#include "instrumentation/capture/schema.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wl::capture {

// What SQLite, or a row that is not as it must be, has to say; becomes a wl::Error with the file's path where
// the file is known.
struct DatabaseFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

Database open_in_memory();
// An empty file that nobody else knows: no locks, no journal, nothing synced.
Database open_empty_file(const std::string& path);

// A b-tree can be made to take forever; an honest file of this size is read many times faster than until
// then.
using ReadingTime = std::chrono::steady_clock::time_point;
ReadingTime reading_time(size_t file_bytes);
// A file that anybody may have made, read where its bytes lie and never written to. Statements fail once
// `limit`, which lives as long as the database, is over.
Database open_bytes(std::span<const std::byte> bytes, ReadingTime* limit);
// Such a file where it lies: its pages are read when they are asked for. Nothing is locked, no journal beside
// it is looked at.
Database open_file(const std::string& path, uint64_t bytes, ReadingTime* limit);

void check(sqlite3* database, int code);  // throws unless SQLITE_OK
void execute(sqlite3* database, const std::string& sql);
Statement prepare(sqlite3* database, std::string_view sql);
bool step(sqlite3* database, sqlite3_stmt* statement);  // true: there is a row

// The columns of one row as bytes, type and length included, in which a BLOB stands as its content hash. What
// check_xxh3 is computed from, on both sides.
class RowDigest {
public:
    void begin(std::string_view table);
    void add_null();
    void add_integer(int64_t value);
    void add_real(double value);
    void add_text(std::string_view value);
    void add_blob(uint64_t content_hash, size_t size);
    int64_t value() const;

private:
    void add(char type, uint64_t word);
    std::string bytes_;
};

// One hash over the checks of all rows in order: rows lost, doubled or exchanged show here.
class Seal {
public:
    void add(int64_t check);
    std::string hex() const;
    size_t size() const { return checks_.size(); }
    Seal without(size_t first, size_t behind) const;  // these rows

private:
    std::vector<int64_t> checks_;
};

// Binds the columns of one row after another.
class RowWriter {
public:
    RowWriter(sqlite3* database, std::string_view insert, std::string_view table, Seal* seal);
    void begin_row();
    void integer(int64_t value);
    void real(double value);  // NaN is NULL: SQLite has none
    void text(std::string_view value);
    void blob(std::span<const std::byte> value);
    void null();
    void end_row();

private:
    sqlite3* database_;
    Statement statement_;
    std::string table_;
    Seal* seal_;  // nullptr: rows that the seal does not cover
    RowDigest digest_;
    int column_ = 0;
};

// Hands out the columns of one row after another; every value has the storage class that is asked for. A
// row's values are to be trusted once end_row returned; texts and blobs live until the next row.
class RowReader {
public:
    // `first`: the number of the first row that `select` finds.
    RowReader(
        sqlite3* database, std::string_view select, std::string_view table, Seal* seal, int64_t first = 0
    );
    bool next_row();
    int64_t integer();
    double real();  // NULL is NaN
    std::string_view text();
    std::span<const std::byte> blob();
    bool take_null();                                       // true, and the column is passed, if it is NULL
    void end_row();                                         // throws unless the hash agrees
    [[noreturn]] void fail(const std::string& what) const;  // "table tile, row 17: " + what
    int64_t row() const { return row_; }
    size_t bytes() const { return bytes_; }  // of all texts and blobs so far

private:
    void expect(int storage_class);
    sqlite3* database_;
    Statement statement_;
    std::string table_;
    Seal* seal_;
    RowDigest digest_;
    int column_ = 0;
    int64_t row_;
    size_t bytes_ = 0;
};

}  // namespace wl::capture
