// Counting last writers by warp, and finding the stripes that nobody wrote.
#include "instrumentation/analysis/ownership.h"

#include <algorithm>

namespace wl::analysis {
namespace {

void count(Ownership& result, const capture::Owner& owner, bool bad) {
    const size_t warp = owner.warp;
    if (warp == capture::Owner::kNobody) {
        ++result.never_written;
        return;
    }
    if (warp >= result.by_warp.size()) {
        result.by_warp.resize(warp + 1);
        result.bad_by_warp.resize(warp + 1);
    }
    ++result.by_warp[warp];
    if (bad) ++result.bad_by_warp[warp];
}

}  // namespace

void count_row(
    Ownership& result, int row, std::span<const capture::Owner> owners, std::span<const uint8_t> bad
) {
    for (size_t i = 0; i < owners.size(); ++i) count(result, owners[i], !bad.empty() && bad[i] != 0);
    const bool nobody = std::all_of(owners.begin(), owners.end(), [](const capture::Owner& owner) {
        return owner.warp == capture::Owner::kNobody;
    });
    if (!nobody) return;
    auto& stripes = result.rows_never_written;
    if (!stripes.empty() && stripes.back().second == row - 1) {
        stripes.back().second = row;
    } else {
        stripes.emplace_back(row, row);
    }
}

Ownership ownership(const TileData& tile) {
    Ownership result;
    if (tile.owner.data.empty()) return result;
    result.rows = tile.rows;
    result.cols = tile.cols;
    const bool compared = !tile.reference.data.empty() && !tile.bound.data.empty();
    std::vector<uint8_t> bad(compared ? static_cast<size_t>(tile.cols) : 0);
    for (int row = 0; row < tile.rows; ++row) {
        const size_t first = tile.owner.index(row, 0);
        for (size_t i = 0; i < bad.size(); ++i) {
            const size_t at = first + i;
            bad[i] = is_bad(tile.got.data[at], tile.reference.data[at], tile.bound.data[at]) ? 1 : 0;
        }
        count_row(result, row, {tile.owner.data.data() + first, static_cast<size_t>(tile.cols)}, bad);
    }
    return result;
}

}  // namespace wl::analysis
