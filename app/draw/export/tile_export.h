// A tile as a file for elsewhere; the suffix says which.
#pragma once

#include "app/draw/heat.h"
#include "app/session/tile_view.h"

#include <string>

namespace wl::app {

// .png: an element is a square of pixels in the heatmap's colours; .svg: the same as rectangles, with numbers
// where they have room; .csv: a line a row; .npy: the elements as they were captured. Throws Error for
// another suffix, a tile too large for the format, or a path that cannot be written.
void export_tile(
    const TileView& tile, const std::string& name, const HeatStyle& style, const std::string& path
);

std::string csv_of(const TileView& tile);

}  // namespace wl::app
