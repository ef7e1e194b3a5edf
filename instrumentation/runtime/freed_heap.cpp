#include "instrumentation/runtime/freed_heap.h"

#include "instrumentation/runtime/host_access.h"

#include <cstdlib>
#include <optional>
#include <unistd.h>

namespace wl::runtime {
namespace {

constexpr uint64_t kWord = 8, kFlags = 7, kPreviousInUse = 1, kLeast = 4 * kWord, kMost = uint64_t{1} << 40;

std::optional<uint64_t> word_at(uint64_t address) {
    uint64_t out = 0;
    const auto* from =
        reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): of the host
    if (!read_host(&out, from, sizeof out)) return std::nullopt;
    return out;
}

// What stands before a block: its size, and flags.
std::optional<uint64_t> head_of(uint64_t block) {
    const auto head = word_at(block - kWord);
    const uint64_t size = head.value_or(0) & ~kFlags;
    if (block % (2 * kWord) != 0 || size % (2 * kWord) != 0 || size < kLeast || size > kMost)
        return std::nullopt;
    return head;
}

// The second word of a small block that is free: random, one for the process. 0: there is none.
uint64_t small_mark() {
    static const uint64_t kMark = [] {
        constexpr size_t kAny = 40;
        void* volatile block = std::malloc(kAny);
        const auto at = reinterpret_cast<uint64_t>(block);
        std::free(block);
        return word_at(at + kWord).value_or(0);
    }();
    return kMark;
}

}  // namespace

uint64_t heap_block(const void* pointer, size_t bytes) {
    const auto at = reinterpret_cast<uint64_t>(pointer);
    const auto head = head_of(at);
    const uint64_t size = head.value_or(0) & ~kFlags;
    if (size < bytes + kWord) return 0;
    const auto next = head_of(at + size);
    return next && (*next & kPreviousInUse) != 0 ? size : 0;
}

bool is_given_back(const void* pointer, uint64_t size) {
    const auto at = reinterpret_cast<uint64_t>(pointer);
    const auto head = head_of(at);
    if (!head || (*head & ~kFlags) != size) return true;  // it is part of another one
    const auto next = head_of(at + size);
    if (next && (*next & kPreviousInUse) == 0) return true;
    return small_mark() != 0 && word_at(at + kWord) == small_mark();
}

}  // namespace wl::runtime
