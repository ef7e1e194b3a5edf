// The captured tiles: a map of all verdicts, and a tree of those that can be opened.
#pragma once

#include "app/draw/tiles_map.h"
#include "app/session/selection.h"
#include "app/session/session.h"

#include <array>
#include <cstdint>
#include <set>
#include <utility>

namespace wl::app {

struct TilesPanel {
    std::array<char, 128> filter = {};
    std::set<int64_t> open_blocks;
    std::set<std::pair<int64_t, int>> open_iterations;  // (block, iteration)
    uint64_t capture = 0;                               // Session::captures that the open nodes belong to
    int revealed = -1;                                  // the selected tile that was last scrolled to
    bool all_blocks = false;                            // listed, and not only on the map
    TilesMap map;
};
void draw(TilesPanel& panel, const Session& session, Selection& selection);

}  // namespace wl::app
