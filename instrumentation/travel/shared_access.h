// The requests that a source line makes of memory: who asks for which bytes, in which phases.
#pragma once

#include "instrumentation/capture/shared_state.h"
#include "instrumentation/travel/instant.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::travel {

struct AccessWanted {
    std::string file;  // end of the path; empty: the kernel's own
    int line = 0;
    int warp = 0;
    uint64_t order = 0;  // of the instant, and its time by the warp's clock
    uint64_t time = 0;
};

// What the line asks for when the warp comes to it, nearest to the instant: each of its memory instructions
// once. Empty: the warp executes none there. The route ends where it began.
std::vector<capture::LineRequest> requests_of(Route& route, const AccessWanted& wanted);

}  // namespace wl::travel
