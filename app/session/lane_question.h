// What the selection asks `warplens at` for: which instant of which warp.
#pragma once

#include "app/session/selection.h"
#include "app/session/session.h"

#include <string>

namespace wl::app {

// Options of `warplens at`; without `line` there is nothing to ask in the debug build.
struct LaneQuestion {
    std::string warp;     // block, warp and build
    std::string instant;  // what decides among the arrivals there: the selected element, tile or stage
    std::string line;     // of the selected site, or the mark of the selected tile there; empty: it has none
};
// In the debug build, of the warp's arrivals at the line the one that made the selected element: the last
// before the element was written for its tile. When kernel time was moved away from that tile, the first in
// the stage that the warp is in. In the optimised build, the instant at the selected kernel time. Of a place
// of a finding, in both builds: the first arrival at its line in its epoch.
LaneQuestion lane_question(const Session& session, const Selection& selection, bool debug);

// In the quotes of a question.
std::string quoted(std::string text);

}  // namespace wl::app
