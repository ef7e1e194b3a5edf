// Loads through the read-only cache (ld.global.nc) of what the same launch has written: that cache is not
// kept coherent with stores of the kernel (PTX ISA 9.0, 9.7.9.9), so that a GPU may give what was there
// before.
#pragma once

#include "instrumentation/emulator/global/global_units.h"

namespace wl::emulator {

// By site: whether it is such a load. Empty: none is.
std::vector<char> read_only_sites(const Program& program);
// Before the access of a run of a page that has been written: it may be such a load.
void look_at_read_only(const NowTouched& now, const GlobalPage& page, const GlobalRun& run);
// Once a pair of instructions, with a count of the runs.
std::vector<Incident> read_only_loads(GlobalShadow& shadow);

}  // namespace wl::emulator
