// Storing each distinct content once.
#include "instrumentation/capture/capture.h"

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

void drop_blobs(BlobStore& store, BlobId first) {
    store.blobs.resize(static_cast<size_t>(first));
    std::erase_if(store.by_hash, [first](const auto& entry) { return entry.second >= first; });
}

}  // namespace wl::capture
