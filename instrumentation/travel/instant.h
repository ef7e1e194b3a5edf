// An instant of a block as people name it: the n-th time a warp comes to a line, a stage, a step back; and
// the source variables and registers that its lanes hold there.
#pragma once

#include "instrumentation/travel/names.h"
#include "instrumentation/travel/route.h"
#include "instrumentation/travel/trace.h"
#include "instrumentation/travel/wanted.h"

#include <cstdint>

namespace wl::travel {

Route make_route(const ptx::Module& module, emulator::ReplaySpec journey);

// Goes there. False: there is no such instant; `arrivals` says how many there were. Throws Error when the
// condition could be evaluated at none of them.
struct Found {
    bool found = false;
    int64_t arrivals = 0;
    int32_t odd_register = -1;  // what `makes` found: of the running function, and the lanes
    uint32_t odd_lanes = 0;
};
Found go(Route& route, const Wanted& wanted);

}  // namespace wl::travel
