// Ways on which lanes of a warp miss a barrier that others of it execute.
#pragma once

namespace wl::emulator {

struct Lowering;

// Program::ways_round, where the function is an entry that comes to an aligned barrier.
void add_ways_round(Lowering& l);

}  // namespace wl::emulator
