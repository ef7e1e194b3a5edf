// Pages of this process that nobody should touch for a while. Who does is noted by the place of the
// instruction, and goes on: the page is given back at the first touch (sigaction(2), SIGSEGV; mprotect(2)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wl {

struct GuardedPages {
    uint64_t begin = 0, end = 0;  // of whole pages
    bool may_read = false;        // only writes are noted
};

struct PageTouch {
    uint64_t address = 0;
    const void* code = nullptr;  // the instruction
    bool write = false;
};

constexpr size_t kMostGuarded = 64;  // ranges
uint64_t page_bytes();

// In place of those before. False: there are more than that.
bool guard_pages(std::span<const GuardedPages> pages);
// All may be touched again. What was since they were guarded.
std::vector<PageTouch> release_pages();

}  // namespace wl
