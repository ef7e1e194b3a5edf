// The one cursor that all panels share: whoever moves it, every other panel follows in the next frame.
#pragma once

#include "app/worker/element.h"

#include <cstdint>

namespace wl::app {

struct Selection {
    int tile = -1;   // index in Capture::tiles
    int probe = -1;  // index in Capture::probes
    int64_t block = -1;
    int iteration = 0;
    int warp = 0, lane = 0;
    uint32_t time = 0;  // kernel time of the recorded block
    int site = -1;      // index in Capture::sites: the source panel's current line
    int finding = -1;   // index in Capture::findings
    int witness = -1;   // which of its two places: 0 or 1; -1: something else was chosen since
    Element element;    // chosen by a click
    Element hovered;    // under the mouse in any view of the tile
    Element hovering;  // what this frame's views found under the mouse; becomes `hovered` when the frame ends
    bool operator==(const Selection&) const = default;
};

}  // namespace wl::app
