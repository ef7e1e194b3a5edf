// Replaces the global operators new and delete; sizes are what the C library gave.
#include "tests/support/heap_count.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<size_t> live{0}, peak{0};

void* counted(void* made) {
    if (made == nullptr) throw std::bad_alloc();
    const size_t now = live.fetch_add(malloc_usable_size(made)) + malloc_usable_size(made);
    for (size_t before = peak.load(); before < now && !peak.compare_exchange_weak(before, now);) {}
    return made;
}

void uncounted(void* made) {
    if (made != nullptr) live.fetch_sub(malloc_usable_size(made));
    std::free(made);
}

void* aligned(size_t bytes, std::align_val_t align) {
    const auto to = static_cast<size_t>(align);
    return counted(std::aligned_alloc(to, (bytes + to - 1) / to * to));
}

}  // namespace

void* operator new(size_t bytes) { return counted(std::malloc(bytes != 0 ? bytes : 1)); }
void* operator new[](size_t bytes) { return counted(std::malloc(bytes != 0 ? bytes : 1)); }
void* operator new(size_t bytes, std::align_val_t align) { return aligned(bytes, align); }
void* operator new[](size_t bytes, std::align_val_t align) { return aligned(bytes, align); }
void operator delete(void* made) noexcept { uncounted(made); }
void operator delete[](void* made) noexcept { uncounted(made); }
void operator delete(void* made, size_t) noexcept { uncounted(made); }
void operator delete[](void* made, size_t) noexcept { uncounted(made); }
void operator delete(void* made, std::align_val_t) noexcept { uncounted(made); }
void operator delete[](void* made, std::align_val_t) noexcept { uncounted(made); }
void operator delete(void* made, size_t, std::align_val_t) noexcept { uncounted(made); }
void operator delete[](void* made, size_t, std::align_val_t) noexcept { uncounted(made); }

namespace wl::testing {

size_t heap_bytes() { return live; }
size_t heap_peak_bytes() { return peak; }
void reset_heap_peak() { peak = live.load(); }

}  // namespace wl::testing
