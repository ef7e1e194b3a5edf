// One recorded block's kernel time: warps by stage, waits at barriers, and the marks that were taken.
#pragma once

#include "app/session/selection.h"
#include "app/session/session.h"

#include <cstdint>

namespace wl::app {

struct TimelinePanel {
    double first = 0, last = 0;  // visible kernel time; equal: all of it
    uint64_t capture = 0;        // Session::captures that the range belongs to
};
void draw(TimelinePanel& panel, const Session& session, Selection& selection);

}  // namespace wl::app
