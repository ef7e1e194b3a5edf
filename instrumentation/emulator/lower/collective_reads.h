// Which reads of shared and global memory a warp-wide instruction waits for, because their values go into it.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Call when the code of all functions is lowered.
void add_collective_reads(std::span<const Lowering> functions, Program& program);

}  // namespace wl::emulator
