// The verdicts of all tiles as one small picture: blocks from top to bottom, iterations and tiles from left
// to right. Where there are more than cells, a cell is the worst of several.
#pragma once

#include "app/session/tile_tree.h"
#include "instrumentation/capture/capture.h"

#include <string_view>
#include <vector>

namespace wl::app {

struct VerdictCell {
    Mark mark = Mark::not_compared;
    int tile = -1;  // the first of those with that mark; -1: there is none here
    int tiles = 0, bad = 0;
};

struct VerdictMap {
    int rows = 0, cols = 0;              // cells
    int64_t blocks = 0;                  // that have tiles
    int moments = 0;                     // (iteration, mark) pairs of a block
    std::vector<VerdictCell> cells;      // (rows, cols)
    std::vector<int> row_of, col_of;     // by index in Capture::tiles; -1: not in the map
    std::vector<int> iteration_columns;  // at which column an iteration begins
    const VerdictCell& at(int row, int col) const {
        return cells[static_cast<size_t>(row) * static_cast<size_t>(cols) + static_cast<size_t>(col)];
    }
};
// Of the tiles whose mark's name contains `filter`; at most so many rows and columns.
VerdictMap verdict_map(
    const capture::Capture& capture, std::string_view filter, int most_rows, int most_cols
);

}  // namespace wl::app
