// Counting last writers by warp, and finding the stripes that nobody wrote.
#include "instrumentation/analysis/ownership.h"

namespace wl::analysis {
namespace {

void count(Ownership& result, const TileData& tile, size_t i) {
    const size_t warp = tile.owner.data[i].warp;
    if (warp == capture::Owner::kNobody) {
        ++result.never_written;
        return;
    }
    if (warp >= result.by_warp.size()) {
        result.by_warp.resize(warp + 1);
        result.bad_by_warp.resize(warp + 1);
    }
    ++result.by_warp[warp];
    const bool compared = !tile.reference.data.empty() && !tile.bound.data.empty();
    if (compared && is_bad(tile.got.data[i], tile.reference.data[i], tile.bound.data[i]))
        ++result.bad_by_warp[warp];
}

bool nobody_wrote_row(const TileData& tile, int row) {
    for (int col = 0; col < tile.cols; ++col)
        if (tile.owner(row, col).warp != capture::Owner::kNobody) return false;
    return true;
}

}  // namespace

Ownership ownership(const TileData& tile) {
    Ownership result;
    if (tile.owner.data.empty()) return result;
    result.rows = tile.rows;
    result.cols = tile.cols;
    for (size_t i = 0; i < tile.owner.data.size(); ++i) count(result, tile, i);
    for (int row = 0; row < tile.rows; ++row) {
        if (!nobody_wrote_row(tile, row)) continue;
        const bool continues =
            !result.rows_never_written.empty() && result.rows_never_written.back().second == row - 1;
        if (continues) {
            result.rows_never_written.back().second = row;
        } else {
            result.rows_never_written.emplace_back(row, row);
        }
    }
    return result;
}

}  // namespace wl::analysis
