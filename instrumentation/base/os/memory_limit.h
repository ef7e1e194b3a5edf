// How much memory there is for what a file or the user asks for: looked at before it is taken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wl {

// Bytes: of the machine, or less where a limit is set for this process (ulimit -v, control group,
// WARPLENS_MEMORY). Throws Error where that variable is no number of bytes.
uint64_t memory_limit();

std::string memory_text(uint64_t bytes);  // "16.0 GB"

// Throws Error "WHAT needs 16.0 GB of memory, ...". `what` begins the sentence: a path, "the array x".
void check_memory(uint64_t bytes, std::string_view what);

// What a compressed file may unpack to: 1 GB, or 1000 times its own size where that is more, or the bytes
// that WARPLENS_UNPACK gives (such as 20G); and never more than there is memory. Throws Error.
void check_unpacked(uint64_t bytes, uint64_t file_bytes, std::string_view file);

// The product; 2^64 - 1 where it has more bits.
uint64_t capped_product(uint64_t a, uint64_t b);

}  // namespace wl
