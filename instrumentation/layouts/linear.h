// Triton's linear layouts: each bit of an index stands for a coordinate, and coordinates of several bits are
// their XOR. Of shared memory, from an offset to (row, column), they are turned round; of registers, lanes
// and warps they are kept, and a coordinate is its place in the tensor row by row. After Zhou et al., "Linear
// Layouts", 2025, and the attributes #ttg.linear and #ttg.shared_linear of Triton 3.
#pragma once

#include "instrumentation/layouts/parse.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wl::layouts {

// "#ttg.shared_linear<{offset = [[0,1],[0,2],[1,0]]}>", "#ttg.linear<{register = [[0,1]], lane = [[1,0]]}>",
// or these without the leading "#ttg.".
bool is_linear(std::string_view text);
Swizzled parse_linear(std::string_view text);  // throws Error as parse() does

int64_t linear_offset(const std::vector<int64_t>& bases, int64_t index);
std::string linear_text(const Swizzled& l);  // "linear (8,8): 9,18,36 | 1,2,4"

}  // namespace wl::layouts
