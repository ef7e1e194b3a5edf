// Which instructions a block's warps executed in which order, kept from the first time that it is run, so
// that an arrival is found without running the block again.
#pragma once

#include "instrumentation/travel/route.h"

#include <cstdint>
#include <functional>

namespace wl::travel {

// An instant of the block. The route stands there when it is `live`, else wherever it stood before.
using Look = std::function<bool(const emulator::Here&, bool live)>;

// Calls `stop` at each instant of a warp (-1: of any) from the block's start on until it is true. False: it
// never was. Where the route stands then is not said.
bool each_instant(Route& route, int warp, const Look& stop);
// The same from instant `order` on, this one included; and back, from the one before `order`.
bool each_instant_from(Route& route, uint64_t order, int warp, const Look& stop);
bool each_instant_before(Route& route, uint64_t order, int warp, const Look& stop);

// Runs on behind what is known, so many instants at most, so that later steps find their way in the trace.
// False: there is nothing more to know, or no room to keep it.
bool look_on(Route& route, uint64_t instants);

// Also keeps what is run anyway: call at each instant of a run from the start on.
void keep(Trace& trace, const emulator::Here& here);

// Goes `steps` instructions of the warp on from where the route stands, or back when negative. False: the
// warp begins or ends before, and the route stands where it stood.
bool step(Route& route, int64_t steps);

}  // namespace wl::travel
