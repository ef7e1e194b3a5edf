// Contents of blobs that are still in the file of an opened capture: each is read, and checked, when it is
// asked for first.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct sqlite3;

namespace wl::capture {

class StoredBlobs {
public:
    // Throws DatabaseFault. The file stays open: what takes its place under its name is another one.
    StoredBlobs(std::string path, uint64_t bytes);
    ~StoredBlobs();
    sqlite3* database();
    // Once the schema is known to be right. `continued`: which blobs go on in other rows (parts.h). Throws
    // DatabaseFault.
    void count_rows(const std::string& continued);
    int64_t count() const { return count_; }
    uint64_t bytes() const { return bytes_; }  // of the file

    // What tiles say of a blob before it is read. False: that cannot be, or not together with what they said
    // before.
    bool expect(BlobId id, uint64_t elements, size_t bytes_each);
    void expect_owners(BlobId id, size_t sites);

    bool has(BlobId id) const { return id > 0 && id <= count_; }
    bool is_read(BlobId id) const;
    uint64_t bytes_read() const;
    // Throws Error naming the file and the row. It lives as long as this does.
    const std::vector<std::byte>& content(BlobId id);

private:
    struct Expected {
        uint64_t bytes = 0;
        size_t sites = 0;
        bool owners = false;
    };
    struct Connection;  // asked by one thread at a time
    struct Rest {
        int64_t first = 0, rows = 0;
    };
    uint64_t expected_bytes(BlobId id) const;
    std::vector<std::byte> read(Connection& connection, BlobId id) const;
    void check(BlobId id, const std::vector<std::byte>& bytes) const;

    std::string path_;
    uint64_t bytes_;
    std::unique_ptr<Connection> small_, large_;  // who wants a small blob does not wait for a large one
    int64_t count_ = 0;
    std::map<BlobId, Rest> rests_;  // of blobs that go on in other rows
    std::map<BlobId, Expected> expected_;
    mutable std::mutex looking_;
    std::map<BlobId, std::vector<std::byte>> read_;
    uint64_t bytes_read_ = 0;
};

}  // namespace wl::capture
