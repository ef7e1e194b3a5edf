// Storing each distinct content once.
#include "instrumentation/capture/capture.h"
#include "instrumentation/capture/stored.h"

#include <xxhash.h>

namespace wl::capture {

uint64_t content_hash(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

// The hash only finds candidates; equality is decided by comparing the bytes.
BlobId add_blob(BlobStore& store, std::vector<std::byte> bytes) {
    const uint64_t hash = content_hash(bytes);
    const auto [begin, end] = store.by_hash.equal_range(hash);
    for (auto candidate = begin; candidate != end; ++candidate)
        if (store.blobs[static_cast<size_t>(candidate->second)] == bytes) return candidate->second;
    const auto id = static_cast<BlobId>(store.blobs.size());
    store.blobs.push_back(std::move(bytes));
    store.by_hash.emplace(hash, id);
    return id;
}

namespace {

bool is_stored(const BlobStore& store, BlobId id) {
    return store.stored && store.blobs[static_cast<size_t>(id)].empty() && store.stored->has(id);
}

}  // namespace

const std::vector<std::byte>& content_of(const BlobStore& store, BlobId id) {
    return is_stored(store, id) ? store.stored->content(id) : store.blobs[static_cast<size_t>(id)];
}

bool is_at_hand(const BlobStore& store, BlobId id) {
    return !is_stored(store, id) || store.stored->is_read(id);
}

uint64_t bytes_at_hand(const BlobStore& store) {
    uint64_t bytes = store.stored ? store.stored->bytes_read() : 0;
    for (const std::vector<std::byte>& blob : store.blobs) bytes += blob.size();
    return bytes;
}

bool BlobStore::operator==(const BlobStore& other) const {
    if (!stored && !other.stored) return blobs == other.blobs;
    if (blobs.size() != other.blobs.size()) return false;
    for (size_t id = 0; id < blobs.size(); ++id)
        if (content_of(*this, static_cast<BlobId>(id)) != content_of(other, static_cast<BlobId>(id)))
            return false;
    return true;
}

void drop_blobs(BlobStore& store, BlobId first) {
    store.blobs.resize(static_cast<size_t>(first));
    std::erase_if(store.by_hash, [first](const auto& entry) { return entry.second >= first; });
}

}  // namespace wl::capture
