// What is wrong in a tile: how much, where worst, how far, and whose.
#pragma once

#include "app/session/tile_view.h"

namespace wl::app {

// Fills non_finite, worst, wrong_count, errors and ownership of a view whose planes are there.
void judge(TileView& view, Effort* effort);

}  // namespace wl::app
