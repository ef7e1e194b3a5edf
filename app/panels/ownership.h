// Who wrote each element last: hue = warp, lightness = lane, hatched = never written.
#pragma once

#include "app/draw/heat.h"
#include "app/session/selection.h"
#include "app/session/session.h"

namespace wl::app {

struct OwnershipPanel {
    HeatCanvas canvas;
};
void draw(OwnershipPanel& panel, const Session& session, Selection& selection);

}  // namespace wl::app
