// Two connections, each asked by one thread at a time.
#include "instrumentation/capture/stored.h"

#include "instrumentation/base/error.h"
#include "instrumentation/capture/consistency.h"
#include "instrumentation/capture/database.h"
#include "instrumentation/capture/parts.h"

#include <utility>

namespace wl::capture {

struct StoredBlobs::Connection {
    ReadingTime limit;
    Database database;
    std::mutex asking;
    Connection(const std::string& path, uint64_t bytes) :
        limit(reading_time(bytes)), database(open_file(path, bytes, &limit)) {}
};

StoredBlobs::StoredBlobs(std::string path, uint64_t bytes) :
    path_(std::move(path)),
    bytes_(bytes),
    small_(std::make_unique<Connection>(path_, bytes)),
    large_(std::make_unique<Connection>(path_, bytes)) {}

StoredBlobs::~StoredBlobs() = default;

sqlite3* StoredBlobs::database() { return small_->database.get(); }

void StoredBlobs::count_rows(const std::string& continued) {
    const Statement statement = prepare(database(), "SELECT max(blob_id) FROM blob NOT INDEXED");
    if (!step(database(), statement.get())) return;
    constexpr int64_t kLeast = 12;  // bytes of a row: its number, its header, its check
    count_ = sqlite3_column_int64(statement.get(), 0);
    if (count_ < 0 || count_ > static_cast<int64_t>(bytes_) / kLeast)
        throw DatabaseFault("table blob counts more rows than the file can hold");
    const std::vector<Part> parts = parts_of(continued, count_);
    count_ -= rows_of(parts);
    int64_t next = count_ + 1;
    for (const Part& part : parts) {
        rests_[part.blob] = {next, part.rows};
        next += part.rows;
    }
}

bool StoredBlobs::expect(BlobId id, uint64_t elements, size_t bytes_each) {
    if (elements > bytes_ / bytes_each) return false;
    const uint64_t bytes = elements * bytes_each;
    return expected_.try_emplace(id, Expected{bytes}).first->second.bytes == bytes;
}

void StoredBlobs::expect_owners(BlobId id, size_t sites) {
    Expected& expected = expected_.at(id);
    expected.owners = true, expected.sites = sites;
}

bool StoredBlobs::is_read(BlobId id) const {
    const std::scoped_lock lock(looking_);
    return read_.contains(id);
}

uint64_t StoredBlobs::bytes_read() const {
    const std::scoped_lock lock(looking_);
    return bytes_read_;
}

void StoredBlobs::check(BlobId id, const std::vector<std::byte>& bytes) const {
    const auto at = expected_.find(id);
    if (at == expected_.end()) return;
    const Expected& expected = at->second;
    if (bytes.size() != expected.bytes)
        throw DatabaseFault(
            "blob " + std::to_string(id) + " has " + std::to_string(bytes.size()) + " bytes, and its tile " +
            std::to_string(expected.bytes)
        );
    if (const auto site = expected.owners ? unknown_owner(bytes, expected.sites) : std::nullopt)
        throw DatabaseFault(
            "blob " + std::to_string(id) + " names site " + std::to_string(*site) + ", and there are " +
            std::to_string(expected.sites)
        );
}

uint64_t StoredBlobs::expected_bytes(BlobId id) const {
    const auto at = expected_.find(id);
    return at != expected_.end() ? at->second.bytes : bytes_;
}

namespace {

void append_row(sqlite3* database, int64_t number, std::vector<std::byte>& bytes) {
    const std::string select =
        "SELECT blob_id, data, check_xxh3 FROM blob NOT INDEXED WHERE blob_id = " + std::to_string(number);
    RowReader row(database, select, kTables[kBlob].name, nullptr, number - 1);
    if (!row.next_row() || row.integer() != number) row.fail("it is missing");
    const std::span<const std::byte> data = row.blob();
    bytes.insert(bytes.end(), data.begin(), data.end());
    row.end_row();
}

}  // namespace

std::vector<std::byte> StoredBlobs::read(Connection& connection, BlobId id) const {
    connection.limit = reading_time(expected_bytes(id));
    const auto rest = rests_.find(id);
    try {
        std::vector<std::byte> bytes;
        if (rest != rests_.end()) bytes.reserve(expected_bytes(id));
        append_row(connection.database.get(), id, bytes);
        if (rest != rests_.end())
            for (int64_t row = 0; row < rest->second.rows; ++row)
                append_row(connection.database.get(), rest->second.first + row, bytes);
        check(id, bytes);
        return bytes;
    } catch (const DatabaseFault& fault) {
        throw Error(path_ + " is damaged: " + fault.what() + ". Record it again.");
    }
}

const std::vector<std::byte>& StoredBlobs::content(BlobId id) {
    const auto find = [&]() -> const std::vector<std::byte>* {
        const std::scoped_lock lock(looking_);
        const auto at = read_.find(id);
        return at != read_.end() ? &at->second : nullptr;
    };
    if (const auto* there = find()) return *there;
    constexpr uint64_t kSmall = 4 << 20;
    Connection& connection = expected_bytes(id) <= kSmall ? *small_ : *large_;
    const std::scoped_lock one(connection.asking);
    if (const auto* there = find()) return *there;  // another thread was quicker
    std::vector<std::byte> bytes = read(connection, id);
    const std::scoped_lock lock(looking_);
    bytes_read_ += bytes.size();
    return read_.emplace(id, std::move(bytes)).first->second;
}

}  // namespace wl::capture
