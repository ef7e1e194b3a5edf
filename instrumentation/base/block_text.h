// A block as every text names it.
#pragma once

#include "instrumentation/base/dim3.h"

#include <string>

namespace wl {

// "2,1,0" for a linear index, as --block takes it.
inline std::string block_words(int64_t block, Dim3 grid) {
    const Dim3 b = from_linear(static_cast<uint64_t>(block), grid);
    return std::to_string(b.x) + "," + std::to_string(b.y) + "," + std::to_string(b.z);
}

// "(2,1,0)"
inline std::string block_text(int64_t block, Dim3 grid) { return "(" + block_words(block, grid) + ")"; }

}  // namespace wl
