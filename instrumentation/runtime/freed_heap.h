// Blocks of the C library's heap, and whether one was given back, by glibc's own marks (malloc/malloc.c,
// "malloc_chunk").
#pragma once

#include <cstddef>
#include <cstdint>

namespace wl::runtime {

// The size of the block that begins here and holds so many bytes; 0: none does, or another allocator gave it.
uint64_t heap_block(const void* at, size_t bytes);
// It was a block of this size, and is free or part of another now.
bool is_given_back(const void* at, uint64_t size);

}  // namespace wl::runtime
