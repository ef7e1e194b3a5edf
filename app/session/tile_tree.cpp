// One pass over the tiles; their order within a block is kernel time already.
#include "app/session/tile_tree.h"

#include <algorithm>
#include <map>

namespace wl::app {

namespace {

IterationTiles& iteration_of(BlockTiles& block, int iteration) {
    for (IterationTiles& known : block.iterations) {
        if (known.iteration == iteration) return known;
    }
    block.iterations.push_back({iteration, {}, Mark::not_compared});
    return block.iterations.back();
}

int rank(const BlockTiles& block) { return block.block == capture::kWholeLaunch ? 0 : block.kept ? 1 : 2; }

}  // namespace

Mark mark_of(const capture::Tile& tile) {
    if (tile.verdict == capture::Verdict::bad)
        return tile.nan + tile.inf > 0 ? Mark::non_finite : Mark::wrong;
    return tile.verdict == capture::Verdict::ok ? Mark::ok : Mark::not_compared;
}

std::vector<BlockTiles> tile_tree(const capture::Capture& capture) {
    std::map<int64_t, BlockTiles> blocks;
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& tile = capture.tiles[i];
        BlockTiles& block = blocks[tile.block];
        IterationTiles& iteration = iteration_of(block, tile.iteration);
        const Mark mark = mark_of(tile);
        block.block = tile.block;
        block.kept = block.kept || tile.values != capture::kNoBlob;
        block.bad += tile.verdict == capture::Verdict::bad ? 1 : 0;
        block.mark = std::max(block.mark, mark);
        iteration.mark = std::max(iteration.mark, mark);
        iteration.tiles.push_back(static_cast<int>(i));
    }
    std::vector<BlockTiles> tree;
    for (auto& [number, block] : blocks) {
        std::sort(block.iterations.begin(), block.iterations.end(), [](const auto& a, const auto& b) {
            return a.iteration < b.iteration;
        });
        tree.push_back(std::move(block));
    }
    std::stable_sort(tree.begin(), tree.end(), [](const auto& a, const auto& b) {
        return rank(a) < rank(b);
    });
    return tree;
}

}  // namespace wl::app
