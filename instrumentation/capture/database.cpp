// Thin over SQLite's C interface: every return code becomes a DatabaseFault.
#include "instrumentation/capture/database.h"

#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/uri.h"
#include "instrumentation/capture/capture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>
#include <xxhash.h>

namespace wl::capture {

Database open_in_memory() {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
    Database database(opened);
    check(opened, code);
    return database;
}

Database open_empty_file(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, "unix-none");
    Database database(opened);
    check(opened, code);
    execute(opened, "PRAGMA synchronous=OFF");
    return database;
}

ReadingTime reading_time(size_t file_bytes) {
    constexpr size_t kBytesPerSecond = 10'000'000;
    return std::chrono::steady_clock::now() + std::chrono::seconds(10 + file_bytes / kBytesPerSecond);
}

namespace {

int past_limit(void* limit) {
    return !go_on() || std::chrono::steady_clock::now() > *static_cast<ReadingTime*>(limit) ? 1 : 0;
}

// What a file that anybody may have made is not let do.
void distrust(sqlite3* db, uint64_t bytes, ReadingTime* limit) {
    for (const auto& [option, on] : {
             std::pair{SQLITE_DBCONFIG_DEFENSIVE,             1},
             {SQLITE_DBCONFIG_TRUSTED_SCHEMA,        0},
             {SQLITE_DBCONFIG_ENABLE_TRIGGER,        0},
             {SQLITE_DBCONFIG_ENABLE_VIEW,           0},
             {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}
    })
        check(db, sqlite3_db_config(db, option, on, nullptr));
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(std::min<uint64_t>(bytes + 4096, 1'000'000'000)));
    sqlite3_progress_handler(db, 10'000, past_limit, limit);
}

}  // namespace

Database open_bytes(std::span<const std::byte> bytes, ReadingTime* limit) {
    Database database = open_in_memory();
    sqlite3* db = database.get();
    distrust(db, bytes.size(), limit);
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    check(db, sqlite3_deserialize(db, "main", data, size, size, SQLITE_DESERIALIZE_READONLY));
    execute(db, "PRAGMA cell_size_check=ON");
    return database;
}

Database open_file(const std::string& path, uint64_t bytes, ReadingTime* limit) {
    sqlite3* opened = nullptr;
    const std::string uri =
        "file:" + percent_encoded(std::filesystem::absolute(path).string()) + "?immutable=1";
    const int code = sqlite3_open_v2(uri.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    Database database(opened);
    check(opened, code);
    distrust(opened, bytes, limit);
    execute(opened, "PRAGMA cell_size_check=ON");
    return database;
}

void check(sqlite3* database, int code) {
    if (code == SQLITE_OK) return;
    throw DatabaseFault(database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
}

void execute(sqlite3* database, const std::string& sql) {
    check(database, sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr));
}

Statement prepare(sqlite3* database, std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    check(
        database, sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr)
    );
    return Statement(statement);
}

bool step(sqlite3* database, sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_INTERRUPT) check_stop();
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) check(database, code);
    return false;
}

void RowDigest::begin(std::string_view table) {
    bytes_.clear();
    add_text(table);
}
void RowDigest::add(char type, uint64_t word) {
    static_assert(std::endian::native == std::endian::little);
    bytes_ += type;
    bytes_.append(reinterpret_cast<const char*>(&word), sizeof word);
}
void RowDigest::add_null() { add('n', 0); }
void RowDigest::add_integer(int64_t value) { add('i', static_cast<uint64_t>(value)); }
void RowDigest::add_real(double value) { add('r', std::bit_cast<uint64_t>(value)); }
void RowDigest::add_text(std::string_view value) {
    add('t', value.size());
    bytes_.append(value);
}
void RowDigest::add_blob(uint64_t content_hash, size_t size) {
    add('b', size);
    add('h', content_hash);
}
int64_t RowDigest::value() const { return static_cast<int64_t>(XXH3_64bits(bytes_.data(), bytes_.size())); }

void Seal::add(int64_t check) { checks_.push_back(check); }

Seal Seal::without(size_t first, size_t behind) const {
    Seal rest = *this;
    const auto at = [&rest](size_t i) { return rest.checks_.begin() + static_cast<std::ptrdiff_t>(i); };
    rest.checks_.erase(at(first), at(behind));
    return rest;
}

std::string Seal::hex() const {
    const uint64_t hash = XXH3_64bits(checks_.data(), checks_.size() * sizeof(int64_t));
    char text[40];
    const int n = std::snprintf(
        text, sizeof text, "%zu:%016llx", checks_.size(), static_cast<unsigned long long>(hash)
    );
    return {text, static_cast<size_t>(n)};
}

RowWriter::RowWriter(sqlite3* database, std::string_view insert, std::string_view table, Seal* seal) :
    database_(database), statement_(prepare(database, insert)), table_(table), seal_(seal) {}

void RowWriter::begin_row() {
    column_ = 0;
    digest_.begin(table_);
}
void RowWriter::integer(int64_t value) {
    digest_.add_integer(value);
    check(database_, sqlite3_bind_int64(statement_.get(), ++column_, value));
}
void RowWriter::real(double value) {
    if (std::isnan(value)) return null();
    const double stored = value == 0 ? 0.0 : value;  // SQLite keeps no -0
    digest_.add_real(stored);
    check(database_, sqlite3_bind_double(statement_.get(), ++column_, stored));
}
void RowWriter::text(std::string_view value) {
    digest_.add_text(value);
    const char* data = value.data() ? value.data() : "";  // a null pointer would be NULL
    const int code =
        sqlite3_bind_text64(statement_.get(), ++column_, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    check(database_, code);
}
void RowWriter::blob(std::span<const std::byte> value) {
    digest_.add_blob(content_hash(value), value.size());
    const int code = value.empty()
        ? sqlite3_bind_zeroblob(statement_.get(), ++column_, 0)
        : sqlite3_bind_blob64(statement_.get(), ++column_, value.data(), value.size(), SQLITE_STATIC);
    check(database_, code);
}
void RowWriter::null() {
    digest_.add_null();
    check(database_, sqlite3_bind_null(statement_.get(), ++column_));
}
void RowWriter::end_row() {
    const int64_t value = digest_.value();
    if (seal_) seal_->add(value);
    check(database_, sqlite3_bind_int64(statement_.get(), ++column_, value));
    step(database_, statement_.get());
    check(database_, sqlite3_reset(statement_.get()));
}

RowReader::RowReader(
    sqlite3* database, std::string_view select, std::string_view table, Seal* seal, int64_t first
) :
    database_(database), statement_(prepare(database, select)), table_(table), seal_(seal), row_(first - 1) {}

bool RowReader::next_row() {
    check_stop();
    ++row_;
    column_ = 0;
    digest_.begin(table_);
    return step(database_, statement_.get());
}
void RowReader::fail(const std::string& what) const {
    throw DatabaseFault("table " + table_ + ", row " + std::to_string(row_) + ": " + what);
}
void RowReader::expect(int storage_class) {
    if (sqlite3_column_type(statement_.get(), column_) == storage_class) return;
    const char* name = sqlite3_column_name(statement_.get(), column_);
    fail(std::string("column ") + (name ? name : "?") + " has the wrong type");
}
int64_t RowReader::integer() {
    expect(SQLITE_INTEGER);
    const int64_t value = sqlite3_column_int64(statement_.get(), column_++);
    digest_.add_integer(value);
    return value;
}
double RowReader::real() {
    if (take_null()) return std::numeric_limits<double>::quiet_NaN();
    expect(SQLITE_FLOAT);
    const double value = sqlite3_column_double(statement_.get(), column_++);
    digest_.add_real(value);
    return value == 0 ? 0.0 : value;  // a -0 that somebody else wrote would not come back
}
std::string_view RowReader::text() {
    expect(SQLITE_TEXT);
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column_));
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column_++));
    if (!data) fail("out of memory");
    bytes_ += size;
    digest_.add_text({data, size});
    return {data, size};
}
std::span<const std::byte> RowReader::blob() {
    expect(SQLITE_BLOB);
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column_));
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column_++));
    if (!data && size > 0) fail("out of memory");
    bytes_ += size;
    digest_.add_blob(content_hash({data, size}), size);
    return {data, size};
}
bool RowReader::take_null() {
    if (sqlite3_column_type(statement_.get(), column_) != SQLITE_NULL) return false;
    digest_.add_null();
    ++column_;
    return true;
}
void RowReader::end_row() {
    expect(SQLITE_INTEGER);
    const int64_t stored = sqlite3_column_int64(statement_.get(), column_);
    if (stored != digest_.value()) fail("its check value does not match its contents");
    if (seal_) seal_->add(stored);
}

}  // namespace wl::capture
