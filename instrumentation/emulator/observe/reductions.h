// Warp reductions by shuffles: found in the code when it is lowered, watched while it runs. A sum over a
// value that all lanes share is wrong by the number of lanes.
#pragma once

#include "instrumentation/emulator/machine/block.h"

namespace wl::emulator {

// The first shuffle of reduction `index` is about to execute for the active lanes.
void observe_reduction(Warp& w, const Instr* i, size_t index);

// Adds what one worker counted to another's.
void add(std::vector<ReductionCount>& into, const std::vector<ReductionCount>& from);

// One incident for every sum whose input was uniform each time and not always zero.
std::vector<Incident> uniform_reductions(const Program& program, const std::vector<ReductionCount>& counts);

}  // namespace wl::emulator
