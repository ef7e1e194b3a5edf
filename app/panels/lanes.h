// Every lane of one warp at the selected instant: a row a variable or watch, a column a lane.
#pragma once

#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct LanesPanel {
    LaneWatch watch;
    std::array<char, 128> typed = {};  // a watch being typed
    std::array<char, 128> until = {};  // the condition being typed
    uint64_t capture = 0;              // Session::captures that it belongs to
};
void draw(LanesPanel& panel, const Session& session, Selection& selection, Commands& commands);

}  // namespace wl::app
