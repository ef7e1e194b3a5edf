// Basic blocks of a function and where paths through them meet again.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <vector>

namespace wl::ptx {

// In the order of the text; the last one is the function's end and holds no instruction.
struct Blocks {
    std::vector<uint32_t> of;    // by instruction; one more for the end
    std::vector<uint32_t> last;  // instruction of each block; the end has none
    std::vector<std::vector<uint32_t>> successors, predecessors;
    uint32_t exit = 0;  // the end
};
Blocks blocks_of(const Function& function);

constexpr uint32_t kNoBlock = UINT32_MAX;
// Of each block the nearest one through which all its paths to the end lead; kNoBlock: it has none.
std::vector<uint32_t> post_dominators(const Blocks& blocks);

}  // namespace wl::ptx
