// What a call passes, word by word: between rows of the register file, registers and local memory of two
// frames.
#pragma once

#include "instrumentation/emulator/machine/block.h"

namespace wl::emulator {

struct Passed {
    Frame& frame;
    const ParamPlace& place;
};
// Copies what `from` holds, for the lanes.
void pass(Warp& w, const Passed& from, const Passed& to, uint32_t lanes);

// The low 8 bytes of one lane, zero-extended; and the other way.
uint64_t passed_value(Warp& w, const Passed& from, int lane);
void pass_value(Warp& w, uint64_t value, const Passed& to, int lane);

}  // namespace wl::emulator
