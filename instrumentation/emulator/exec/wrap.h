// Executors around executors: guards, and polls of memory that others change.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// What stands in Instr::exec, where `inner` executes the instruction itself.
Exec wrapped(const Lowering& l, Exec inner);

// Lanes wait there for others: warp-wide instructions, bar.warp.sync and marks.
bool may_wait(const ptx::Instruction& in);

// It reads memory that other blocks write while they run.
bool polls_other_blocks(const Lowering& l, const ptx::Instruction& in);

// Which registers some instruction of the function reads.
std::vector<char> registers_read(const ptx::Function& function);

}  // namespace wl::emulator
