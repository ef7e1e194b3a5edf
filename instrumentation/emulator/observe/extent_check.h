// An access of shared memory beside the array that it means.
#pragma once

#include "instrumentation/emulator/observe/hooks.h"

namespace wl::emulator {

// Reports lanes that leave the variable which the instruction's address is made from.
void check_shared_extent(Warp& w, const Instr* i, const SharedTouch& touch);

}  // namespace wl::emulator
