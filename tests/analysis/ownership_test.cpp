// Last writers counted, and stripes that nobody wrote.
#include "instrumentation/analysis/ownership.h"

#include "tests/support/synthetic_capture.h"

#include <gtest/gtest.h>

namespace wl::analysis {
namespace {

using Stripes = std::vector<std::pair<int, int>>;

// 64 x 4, warp w owns rows 8w..8w+7; every element right.
TileData striped_tile() {
    TileData tile;
    tile.rows = 64;
    tile.cols = 4;
    tile.got = tile.reference = make_matrix<double>(64, 4, 1.0);
    tile.bound = make_matrix<float>(64, 4, 0.5F);
    tile.owner = make_matrix<capture::Owner>(64, 4);
    for (int row = 0; row < 64; ++row)
        for (int col = 0; col < 4; ++col) tile.owner(row, col).warp = static_cast<uint8_t>(row / 8);
    return tile;
}

TEST(Ownership, CountsElementsByTheirLastWriter) {
    const Ownership result = ownership(striped_tile());
    EXPECT_EQ(result.by_warp, std::vector<int64_t>(8, 32));
    EXPECT_EQ(result.bad_by_warp, std::vector<int64_t>(8, 0));
    EXPECT_EQ(result.never_written, 0);
    EXPECT_TRUE(result.rows_never_written.empty());
}

TEST(Ownership, AStripeThatNobodyWroteIsNamedByItsRows) {
    TileData tile = striped_tile();
    for (int row : {2, 56, 57, 58, 59, 60, 61, 62, 63})
        for (int col = 0; col < 4; ++col) tile.owner(row, col).warp = capture::Owner::kNobody;
    tile.owner(5, 1).warp = capture::Owner::kNobody;  // one element is no stripe
    const Ownership result = ownership(tile);
    EXPECT_EQ(
        result.rows_never_written,
        (Stripes{
            {2,  2 },
            {56, 63}
    })
    );
    EXPECT_EQ(result.never_written, 9 * 4 + 1);
    EXPECT_EQ(result.by_warp.size(), 7U);  // warp 7 wrote nothing
}

TEST(Ownership, WrongElementsCountForTheWarpThatWroteThem) {
    TileData tile = striped_tile();
    tile.got(17, 3) = 2.0;
    tile.got(18, 0) = std::numeric_limits<double>::quiet_NaN();
    tile.got(63, 0) = 1.4;  // inside the bound
    EXPECT_EQ(ownership(tile).bad_by_warp, (std::vector<int64_t>{0, 0, 2, 0, 0, 0, 0, 0}));
}

TEST(Ownership, WithoutAReferenceNothingIsWrong) {
    TileData tile = striped_tile();
    tile.got(17, 3) = 2.0;
    tile.reference = {};
    tile.bound = {};
    EXPECT_EQ(ownership(tile).bad_by_warp, std::vector<int64_t>(8, 0));
}

TEST(Ownership, ATileWithoutWritersSaysSoByItsExtent) {
    TileData tile = striped_tile();
    tile.owner = {};
    const Ownership result = ownership(tile);
    EXPECT_EQ(result.rows, 0);
    EXPECT_TRUE(result.by_warp.empty());
}

TEST(Ownership, ACapturedTileIsReadTheSameWay) {
    const capture::Capture capture = testing::synthetic_capture();
    const Ownership l = ownership(load_tile(capture, capture.tiles[5]));
    EXPECT_EQ(l.by_warp, std::vector<int64_t>(8, 8));
    EXPECT_EQ(l.bad_by_warp, std::vector<int64_t>(8, 8));
}

}  // namespace
}  // namespace wl::analysis
