// Which branches decide whether an instruction is executed: control dependence (Ferrante, Ottenstein and
// Warren, TOPLAS 1987), by post-dominators of a function's basic blocks. Internal to travel.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <vector>

namespace wl::travel {

struct Control {
    std::vector<uint32_t> block_of;  // by instruction of the function; one more for its end
    // By block: the last instructions of the blocks that decide about it, a conditional branch or return
    // each.
    std::vector<std::vector<uint32_t>> deciders;
};

// Blocks of an endless loop, from which no path leads to the end, are decided by nothing.
Control control_of(const ptx::Function& function);

// Does the branch decide whether the instruction is executed? Both by number in the function.
bool decides(const Control& control, uint32_t branch, uint32_t instruction);

}  // namespace wl::travel
