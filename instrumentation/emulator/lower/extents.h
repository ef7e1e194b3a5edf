// Bounds of the single arrays that addresses are made from.
#pragma once

#include "instrumentation/emulator/observe/hooks.h"

namespace wl::emulator {

struct Lowering;

// Fills Program::shared_extents and Program::pointers for the function's instructions. Variables have been
// placed.
void add_extents(Lowering& l);

// Reports lanes that leave the variable which the instruction's address is made from.
void check_shared_extent(Warp& w, const Instr* i, const SharedTouch& touch);

}  // namespace wl::emulator
