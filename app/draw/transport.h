// The buttons that move the instant: steps forward and back, and searches from the block's start.
#pragma once

#include "app/draw/widgets.h"
#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <string>

namespace wl::app {

// In a row from that place on; what it has no room for stands in a menu at its end. Returns the x behind.
float draw_transport(
    const Session& session, const Selection& selection, Commands& commands, ImVec2 at, float right
);

// "l[0][0]", what a step to a write is told; empty: the selected element lies in no memory.
std::string element_name(const Session& session, const Selection& selection);

}  // namespace wl::app
