// A matrix as pixels, by the rules of shaders/heat.frag, computed here.
#pragma once

#include "app/draw/export/pixels.h"
#include "app/draw/heat.h"
#include "app/session/plane.h"

namespace wl::app {

constexpr int kPlainMost =
    768;  // pixels a side: of larger matrices a pixel is the element farthest from neutral

// Cells of whole pixels, so that the longer side has about `side`; a vector becomes bars.
Image paint_plain(const Plane& plane, const HeatStyle& style, int side = kPlainMost);

}  // namespace wl::app
