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
    uint32_t time = 0;  // the instant: kernel time of the recorded block
    int64_t order =
        -1;  // the same exactly, as a step led there: instants of the block before it; -1: `time` says it
    int order_warp = -1;        // whose that is
    bool debug_order = false;   // counted in the debug build
    bool moved = false;         // by the timeline or a step, away from the mark of the selected tile
    bool line_chosen = false;   // the site was, since then
    int site = -1;              // index in Capture::sites: the source panel's current line
    int source = -1, line = 0;  // the line where a step led, which the recorded program may have no site for
    int finding = -1;           // index in Capture::findings
    int witness = -1;           // which of its two places: 0 or 1; -1: something else was chosen since
    Element element;            // chosen by a click
    Element hovered;            // under the mouse in any view of the tile
    Element hovering;  // what this frame's views found under the mouse; becomes `hovered` when the frame ends
    bool operator==(const Selection&) const = default;
};

}  // namespace wl::app
