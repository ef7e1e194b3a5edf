// Loops that nobody outside can end.
#pragma once

namespace wl::emulator {

struct Lowering;

// Program::closed_loops of the function that has been lowered.
void add_closed_loops(Lowering& l);

}  // namespace wl::emulator
