// Loads through the read-only cache (ld.global.nc) of what the same launch has written: that cache is not
// kept coherent with stores of the kernel (PTX ISA 9.0, 9.7.9.9), so that a GPU may give what was there
// before.
#pragma once

#include "instrumentation/emulator/global/global_shadow.h"

namespace wl::emulator {

// By what the shadow holds when the launch is over: a read that is there came after the write. Once a pair of
// instructions, with a count of the units.
std::vector<Incident> read_only_loads(const GlobalShadow& shadow, const Program& program);

}  // namespace wl::emulator
