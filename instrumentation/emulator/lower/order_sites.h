// Loads that are as good as atomic ones.
#pragma once

namespace wl::emulator {

struct Lowering;

// Order sites of loads whose value is but a guess: a compare-and-swap of the same place confirms it (CUDA C++
// Programming Guide, atomicAdd of doubles by atomicCAS). The function's code has been lowered.
void add_confirmed_loads(Lowering& l);

}  // namespace wl::emulator
