// One recorded block's kernel time: warps by stage, waits at barriers, and the marks that were taken.
#pragma once

#include "app/draw/timeline/flags.h"
#include "app/draw/timeline/measure.h"
#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>

namespace wl::app {

struct TimelinePanel {
    double first = 0, last = 0;  // visible kernel time; equal: all of it
    uint64_t capture = 0;        // Session::captures that the range belongs to
    uint32_t time = 0;           // that was shown last: a new one is brought into the range
    Stretch measured;            // chosen with Shift
    bool measuring = false;      // while the button is down
    Selection before;            // the press that may become a double click, which moves nothing
    TimelineFlags flags;
    float scroll = 0;      // pixels: of the warps' rows, where they are more than there is room for
    int warp = -1;         // that was selected last: another one is brought into sight
    bool hovered = false;  // W, A, S and D are the timeline's
};
void draw(TimelinePanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
