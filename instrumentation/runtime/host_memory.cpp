#include "instrumentation/runtime/host_memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace wl::runtime {
namespace {

// A page lies between two pieces, so that a kernel that runs over the end of one is not taken for one that
// uses the next.
constexpr uint64_t kPiece = 512, kBetween = 4096, kChunk = 2 << 20, kMost = uint64_t{1} << 40;

struct Pool {
    std::mutex mutex;
    std::byte *next = nullptr, *end = nullptr;
    std::map<uint64_t, std::vector<std::byte*>> free;  // by size
};
Pool& pool() {
    static auto* const kPool = new Pool;
    return *kPool;
}

uint64_t rounded(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }
uint64_t size_of(uint64_t bytes) { return rounded(std::max<uint64_t>(bytes, 1), kPiece); }

// From a multiple of its own size on.
std::byte* map(uint64_t bytes) {
    const uint64_t all = bytes + kChunk;
    void* got =
        mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) return nullptr;
    auto* at = static_cast<std::byte*>(got);
    const uint64_t before = (kChunk - reinterpret_cast<uintptr_t>(at) % kChunk) % kChunk;
    if (before > 0) munmap(at, before);
    munmap(at + before + bytes, all - before - bytes);
    return at + before;
}

}  // namespace

std::byte* take_host_memory(uint64_t bytes) {
    if (bytes > kMost) return nullptr;
    const uint64_t size = size_of(bytes);
    if (size + kBetween > kChunk) return map(rounded(size + kBetween, kChunk));
    Pool& p = pool();
    const std::scoped_lock lock(p.mutex);
    if (auto& old = p.free[size]; !old.empty()) {
        std::byte* at = old.back();
        old.pop_back();
        std::memset(at, 0, size);
        return at;
    }
    if (p.next == nullptr || static_cast<uint64_t>(p.end - p.next) < size + kBetween) {
        p.next = map(kChunk);
        if (p.next == nullptr) return nullptr;
        p.end = p.next + kChunk;
    }
    std::byte* at = p.next;
    p.next += size + kBetween;
    return at;
}

void give_host_memory(std::byte* at, uint64_t bytes) {
    const uint64_t size = size_of(bytes);
    if (size + kBetween > kChunk) {
        munmap(at, rounded(size + kBetween, kChunk));
        return;
    }
    Pool& p = pool();
    const std::scoped_lock lock(p.mutex);
    p.free[size].push_back(at);
}

}  // namespace wl::runtime
