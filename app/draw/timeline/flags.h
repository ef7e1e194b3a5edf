// Findings on the timeline: a flag with its number on the warp that it is about, at the instant to which a
// click on it leads; both accesses of a race, joined.
#pragma once

#include "app/draw/timeline/rows.h"

#include <vector>

namespace wl::app {

struct TimelineFlag {
    int finding = 0;  // index in Capture::findings
    int witness = 0;
    int warp = -1;  // -1: not of one
    uint32_t time = 0;
};
struct TimelineFlags {
    uint64_t capture = 0;  // Session::captures
    int record = -1;
    std::vector<TimelineFlag> all;
};
void update(TimelineFlags& flags, const Session& session, int record);
// The flag under the mouse; nullptr: none.
const TimelineFlag* draw_flags(
    const TimelineRows& rows, const Session& session, const Selection& selection, const TimelineFlags& flags
);

}  // namespace wl::app
