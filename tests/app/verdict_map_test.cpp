// No wrong tile is lost between the capture and the map, however few cells there are.
#include "app/session/verdict_map.h"

#include "tests/support/synthetic_capture.h"

#include <gtest/gtest.h>

namespace wl::app {
namespace {

TEST(VerdictMap, HasACellForEveryTileWhereThereIsRoom) {
    const capture::Capture capture = testing::synthetic_capture();
    const VerdictMap map = verdict_map(capture, "", 1000, 1000);
    EXPECT_EQ(map.rows, map.blocks);
    EXPECT_EQ(map.iteration_columns.size(), 8U);
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& tile = capture.tiles[i];
        if (tile.block == capture::kWholeLaunch) {
            EXPECT_EQ(map.row_of[i], -1) << "outputs are no blocks";
            continue;
        }
        const VerdictCell& cell = map.at(map.row_of[i], map.col_of[i]);
        EXPECT_EQ(cell.tile, static_cast<int>(i));
        EXPECT_EQ(cell.mark, mark_of(tile));
        EXPECT_EQ(cell.tiles, 1);
    }
}

// One wrong tile among 100,000 blocks.
TEST(VerdictMap, ACellIsTheWorstOfItsTiles) {
    capture::Capture capture = testing::synthetic_capture();
    capture::Tile tile = capture.tiles.front();
    tile.verdict = capture::Verdict::ok;
    capture.tiles.clear();
    for (int block = 0; block < 100'000; ++block) {
        tile.block = block;
        capture.tiles.push_back(tile);
    }
    capture.tiles[73'123].verdict = capture::Verdict::bad;
    const VerdictMap map = verdict_map(capture, "", 60, 50);
    EXPECT_EQ(map.rows, 60);
    EXPECT_EQ(map.cols, 1);
    EXPECT_EQ(map.blocks, 100'000);
    int wrong = 0, tiles = 0;
    for (const VerdictCell& cell : map.cells) {
        wrong += cell.mark == Mark::wrong ? 1 : 0;
        tiles += cell.tiles;
    }
    EXPECT_EQ(wrong, 1);
    EXPECT_EQ(tiles, 100'000);
    const VerdictCell& cell = map.at(map.row_of[73'123], 0);
    EXPECT_EQ(cell.tile, 73'123);
    EXPECT_EQ(cell.bad, 1);
}

TEST(VerdictMap, AFilterKeepsTheMarksOfThatName) {
    const capture::Capture capture = testing::synthetic_capture();
    const VerdictMap all = verdict_map(capture, "", 1000, 1000),
                     some = verdict_map(capture, "scores", 1000, 1000);
    EXPECT_EQ(some.moments, 8);
    EXPECT_GT(all.moments, some.moments);
    EXPECT_TRUE(verdict_map(capture, "no such mark", 10, 10).cells.empty());
    EXPECT_TRUE(verdict_map({}, "", 10, 10).cells.empty());
}

}  // namespace
}  // namespace wl::app
