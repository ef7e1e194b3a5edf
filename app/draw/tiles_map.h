// The map of verdicts above the tree of tiles.
#pragma once

#include "app/draw/shared_memory/texels.h"
#include "app/draw/widgets.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "app/session/verdict_map.h"

#include <string>

namespace wl::app {

// Made again when what it was made of changes.
struct TilesMap {
    VerdictMap map;
    uint64_t capture = 0;  // Session::captures
    std::string filter;
    int rows = 0, cols = 0;  // that there was room for
    TexelGrid picture;
};
ImU32 colour_of(Mark mark);

// Draws into the upper part of the box; returns the y below. A click selects the first of a cell's worst
// tiles.
float draw_map(TilesMap& map, const Session& session, Selection& selection, Box box, std::string_view filter);

}  // namespace wl::app
