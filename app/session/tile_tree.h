// The tiles of a capture as block > iteration > tile, each level with the verdict of what lies below it.
#pragma once

#include "instrumentation/capture/capture.h"

#include <vector>

namespace wl::app {

enum class Mark : uint8_t {
    not_compared,
    ok,
    wrong,
    non_finite
};  // rising: a parent takes the largest of its children
Mark mark_of(const capture::Tile& tile);

struct IterationTiles {
    int iteration = 0;
    std::vector<int> tiles;  // indices in Capture::tiles, in kernel time
    Mark mark = Mark::not_compared;
};
struct BlockTiles {
    int64_t block = 0;  // kWholeLaunch: the outputs
    bool kept = false;  // the elements of at least one tile were kept
    std::vector<IterationTiles> iterations;
    Mark mark = Mark::not_compared;
    int64_t bad = 0;  // tiles
};
std::vector<BlockTiles> tile_tree(const capture::Capture& capture
);  // outputs first, then recorded blocks, then the others

}  // namespace wl::app
