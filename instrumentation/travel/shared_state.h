// The state of a block's shared memory where a route stands.
#pragma once

#include "instrumentation/capture/shared_state.h"
#include "instrumentation/travel/shared_log.h"

namespace wl::travel {

// At the route's instant. `log` is of the same route.
capture::SharedState shared_state(Route& route, const SharedLog& log);

}  // namespace wl::travel
