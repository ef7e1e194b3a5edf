// One line a probe: all of its tiles taken together, for the table and its JSON.
#pragma once

#include "instrumentation/capture/capture.h"

#include <vector>

namespace wl::app {

struct ProbeSummary {
    int64_t tiles = 0, bad_tiles = 0, undecided = 0, kept = 0;  // kept: with their elements
    int64_t compared = 0, bad = 0, finite = 0;                  // elements
    double max_difference = 0, max_excess = 0;
    int first_bad = -1;  // index in Capture::tiles: lowest iteration, then lowest block
};
std::vector<ProbeSummary> summarise(const capture::Capture& capture);  // as many as probes

}  // namespace wl::app
