// Pinned and managed memory, as the program sees it. A GPU's driver takes it from the system by 2 MiB, and
// hands out pieces of 512 bytes: what lies behind one can be read and written, and the program's heap has no
// part in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wl::runtime {

// Zeros, from a multiple of 512 on; nullptr: the system has none.
std::byte* take_host_memory(uint64_t bytes);
void give_host_memory(std::byte* at, uint64_t bytes);

}  // namespace wl::runtime
