// Blocks and moments are numbered in their order, and the numbers scaled to the cells that there are.
#include "app/session/verdict_map.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace wl::app {

namespace {

// A place in a block's time: where its tiles of all blocks stand below each other.
struct Moment {
    int iteration = 0, step = 0, probe = 0, warp = 0;
    bool operator<(const Moment& other) const {
        return std::tie(iteration, step, probe, warp) <
            std::tie(other.iteration, other.step, other.probe, other.warp);
    }
    bool operator==(const Moment&) const = default;
};

Moment moment_of(const capture::Capture& capture, const capture::Tile& tile) {
    return {tile.iteration, capture.probes[static_cast<size_t>(tile.probe)].step, tile.probe, tile.warp};
}

template <class T>
std::vector<T> unique(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

template <class T>
int64_t position(const std::vector<T>& sorted, const T& value) {
    return std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}

int scaled(int64_t at, size_t of, int cells) {
    return static_cast<int>(at * cells / static_cast<int64_t>(of));
}

void take(VerdictCell& cell, const capture::Tile& tile, int index) {
    const Mark mark = mark_of(tile);
    if (cell.tile < 0 || mark > cell.mark) cell.tile = index, cell.mark = mark;
    ++cell.tiles;
    cell.bad += tile.verdict == capture::Verdict::bad ? 1 : 0;
}

}  // namespace

VerdictMap verdict_map(
    const capture::Capture& capture, std::string_view filter, int most_rows, int most_cols
) {
    VerdictMap map;
    std::vector<bool> wanted;
    for (const capture::Probe& probe : capture.probes)
        wanted.push_back(filter.empty() || probe.name.find(filter) != std::string::npos);
    const auto shown = [&](const capture::Tile& tile) {
        return tile.block != capture::kWholeLaunch && wanted[static_cast<size_t>(tile.probe)];
    };
    std::vector<int64_t> blocks;
    std::set<Moment> known;
    for (const capture::Tile& tile : capture.tiles) {
        if (!shown(tile)) continue;
        if (blocks.empty() || blocks.back() != tile.block) blocks.push_back(tile.block);
        known.insert(moment_of(capture, tile));
    }
    blocks = unique(std::move(blocks));
    const std::vector<Moment> moments(known.begin(), known.end());
    map.row_of.assign(capture.tiles.size(), -1);
    map.col_of = map.row_of;
    if (blocks.empty()) return map;
    map.blocks = static_cast<int64_t>(blocks.size());
    map.moments = static_cast<int>(moments.size());
    map.rows = static_cast<int>(std::min<int64_t>(map.blocks, std::max(1, most_rows)));
    map.cols = std::min(map.moments, std::max(1, most_cols));
    map.cells.resize(static_cast<size_t>(map.rows) * static_cast<size_t>(map.cols));
    for (size_t i = 0; i < moments.size(); ++i)
        if (i == 0 || moments[i].iteration != moments[i - 1].iteration)
            map.iteration_columns.push_back(scaled(static_cast<int64_t>(i), moments.size(), map.cols));
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& tile = capture.tiles[i];
        if (!shown(tile)) continue;
        const int row = scaled(position(blocks, tile.block), blocks.size(), map.rows);
        const int col = scaled(position(moments, moment_of(capture, tile)), moments.size(), map.cols);
        map.row_of[i] = row, map.col_of[i] = col;
        take(
            map.cells[static_cast<size_t>(row) * static_cast<size_t>(map.cols) + static_cast<size_t>(col)],
            tile,
            static_cast<int>(i)
        );
    }
    return map;
}

}  // namespace wl::app
