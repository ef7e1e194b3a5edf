// Sobol's sequences by the direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with
// better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), 2635-2654 (table new-joe-kuo-6), in
// the order of Gray's code.
#pragma once

#include <cstdint>
#include <vector>

namespace wl::curand {

constexpr uint32_t kMostDimensions = 101;  // those whose polynomial has a degree of at most 9

// Numbers [first, first + count) of a dimension, from 0, of so many bits: 32 or 64.
std::vector<uint64_t> sobol(uint32_t dimension, uint32_t bits, uint64_t first, uint64_t count);

}  // namespace wl::curand
