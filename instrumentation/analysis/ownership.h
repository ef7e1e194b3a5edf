// Who wrote each element of a tile last, and what was never written.
#pragma once

#include "instrumentation/analysis/diff.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace wl::analysis {

struct Ownership {
    int rows = 0, cols = 0;            // 0: the tile was captured without its writers
    std::vector<int64_t> by_warp;      // elements whose last writer is warp w
    std::vector<int64_t> bad_by_warp;  // of those, elements outside their bound
    int64_t never_written = 0;
    std::vector<std::pair<int, int>>
        rows_never_written;  // [first, last] stripes in which no element was written
};
Ownership ownership(const TileData& tile);
// The same row by row, from the first; `bad`: which elements of the row are outside their bound, or empty.
void count_row(
    Ownership& result, int row, std::span<const capture::Owner> owners, std::span<const uint8_t> bad
);

}  // namespace wl::analysis
