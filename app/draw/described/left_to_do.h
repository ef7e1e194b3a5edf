// What the run bar says of a kernel without a manifest, and of a manifest that was just written.
#pragma once

#include "app/draw/widgets.h"
#include "app/session/commands.h"
#include "app/session/session.h"

namespace wl::app {

// What the capture names and is not opened, with the button that allows it; returns the height that it took.
float draw_named(const Session& session, Box box, Commands& commands);

// In the row of fields: that it cannot run yet, and the button that makes it.
void draw_undescribed(const Session& session, Box row, Commands& commands);

// Below the fields what `warplens init` left to do in the manifest of the kernel shown. Returns its height, 0
// where there is none.
float draw_left_to_do(const Session& session, Box box, Commands& commands);

}  // namespace wl::app
