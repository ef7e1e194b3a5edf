// The first picture of a big tile whose elements come from a file.
#pragma once

#include "app/session/tile_view.h"

namespace wl::app {

// What can be shown while of all that is kept of the tile its values alone have been read.
TileView preview_of_values(const capture::Capture& capture, int tile, uint64_t content);

}  // namespace wl::app
