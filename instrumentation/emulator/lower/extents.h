// Bounds of the single arrays that addresses are made from.
#pragma once

namespace wl::emulator {

struct Lowering;

// Fills Program::shared_extents and Program::pointers for the function's instructions. Variables have been
// placed.
void add_extents(Lowering& l);

}  // namespace wl::emulator
