// How far off the current tile is: figures, histogram of |got - reference|, and the worst elements.
#pragma once

#include "app/session/selection.h"
#include "app/session/session.h"

namespace wl::app {

struct ErrorsPanel {
    float share = 0.5F;  // of the height, for the histogram
};
void draw(ErrorsPanel& panel, const Session& session, Selection& selection);

}  // namespace wl::app
