// Who wrote each element last: hue = warp, lightness = lane, hatched = never written.
#pragma once

#include "app/draw/heat.h"
#include "app/draw/widgets.h"
#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"

namespace wl::app {

struct OwnershipPanel {
    HeatCanvas canvas;
    WrittenBy by = WrittenBy::block;  // of an output
};
void draw(OwnershipPanel& panel, const Session& session, Selection& selection, Commands& commands);

// What the map shows, and whose marks lie over it.
struct OwnerMap {
    HeatLayer layer;
    const Layer* marked = nullptr;
};
// The element under the mouse; none: it is elsewhere.
Element draw_owner_map(
    OwnershipPanel& panel, const Session& session, Selection& selection, const OwnerMap& map, Box box
);

// Of an output (ownership_written.cpp): what a worker tells of it, or the button that asks.
void draw_written(
    OwnershipPanel& panel, const Session& session, Selection& selection, Commands& commands, Box box
);

}  // namespace wl::app
