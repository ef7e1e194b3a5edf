// What the selection asks `warplens at` for: which instant of which warp.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>

namespace wl::app {

bool is_empty(const LaneQuestion& question);
std::string words_of(const LaneQuestion& question);
std::string watch_words(const LaneWatch& watch);

// The selected instant. Where a line was chosen, of the warp's arrivals there in the debug build the one that
// made the selected element: the last before the element was written for its tile; when kernel time was moved
// away from that tile, the first in the stage that the warp is in. Of a place of a finding, in both builds:
// the first arrival at its line in its epoch.
LaneQuestion lane_question(const Session& session, const Selection& selection, const LaneWatch& watch);

// Options of another question about the same block in the same build.
std::string block_and_build(const LaneQuestion& question);

// In the quotes of a question.
std::string quoted(std::string text);

}  // namespace wl::app
