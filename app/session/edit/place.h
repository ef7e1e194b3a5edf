// Where the user stands, carried from one capture of a kernel to the next.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <string>

namespace wl::app {

// The line of `now` that holds what stood at `line` in `was`: unchanged where it lies before the first change
// or behind the last one, else the nearest.
int carried_line(const std::string& was, const std::string& now, int line);

// The selection of the capture that was loaded before, in the loaded one: the same mark, block and iteration,
// element, lane, instant and line, where they are still there. `selection` as load() left it.
void take_place(
    const Session& session, const capture::Capture& was, const Selection& stood, Selection& selection
);

// The tile of that capture that is the same mark of the same block, warp and iteration; -1: it has none.
int same_tile(const capture::Capture& in, const capture::Capture& of, int tile, int iterations_before = 0);

}  // namespace wl::app
