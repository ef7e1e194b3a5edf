// Rectangles of a heatmap: chosen by the mouse, counted, copied; and what a palette clips.
#include "app/panels/heat/tools.h"
#include "app/panels/heatmaps.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {
namespace {

TEST(HeatTools, ARectangleHasTheFiguresOfItsElements) {
    const capture::Capture capture = testing::synthetic_capture();
    const TileView tile = make_tile_view(capture, 0, 1);
    const Region region = region_between({9, 30}, {2, 11}, tile.data);
    EXPECT_EQ(region, (Region{2, 11, 8, 20}));
    const RegionReport report = report_of(tile, region);
    double sum = 0, least = 1e30, largest = -1e30;
    for (int row = 2; row < 10; ++row)
        for (int col = 11; col < 31; ++col) {
            const double v = tile.data.got(row, col);
            sum += v, least = std::min(least, v), largest = std::max(largest, v);
        }
    EXPECT_EQ(report.elements, 160);
    EXPECT_EQ(report.got.finite, 160);
    EXPECT_NEAR(report.got.mean, sum / 160, 1e-6);
    EXPECT_NEAR(report.got.least, least, 1e-6);
    EXPECT_NEAR(report.got.largest, largest, 1e-6);
    EXPECT_LT(std::abs(report.difference.mean), std::abs(report.reference.mean) + 1);
    const Region outside = region_between({-5, -5}, {1000, 1000}, tile.data);
    EXPECT_EQ(outside, (Region{0, 0, tile.data.rows, tile.data.cols})) << "it stays inside the tile";
}

// Without a finite element there is no least and largest: the colours are those of the other.
TEST(HeatTools, WhatIsAllNaNAddsNothingToTheRange) {
    capture::Capture capture = testing::synthetic_capture();
    capture::Tile& first = capture.tiles.front();
    const auto elements = static_cast<size_t>(first.rows) * static_cast<size_t>(first.cols);
    first.values = add_blob(capture.blobs, std::vector<float>(elements, std::nanf("")));
    first.reference = add_blob(capture.blobs, std::vector<double>(elements, -75.0));
    const TileView tile = make_tile_view(capture, 0, 1);
    ASSERT_TRUE(has_reference(tile));
    EXPECT_EQ(values_between(tile), (std::pair{-75.0F, -75.0F}));
    first.reference = add_blob(capture.blobs, std::vector<double>(elements, std::nan("")));
    EXPECT_EQ(values_between(make_tile_view(capture, 0, 2)), (std::pair{0.0F, 0.0F}));
}

TEST(HeatTools, ElementsAreCopiedAsTextCsvAndNumpy) {
    auto matrix = make_matrix<float>(2, 2);
    matrix.data = {1, std::nanf(""), -INFINITY, 0.5F};
    const Plane plane = plane_of(matrix);
    EXPECT_EQ(copy_text(plane, {0, 0, 2, 2}, CopyAs::csv), "1,nan\n-inf,0.5\n");
    EXPECT_EQ(copy_text(plane, {0, 0, 1, 2}, CopyAs::text), "1\tnan\n");
    EXPECT_EQ(
        copy_text(plane, {0, 0, 2, 2}, CopyAs::numpy), "np.array([[1, np.nan],\n          [-np.inf, 0.5]])\n"
    );
}

TEST(HeatTools, WhatIsClippedIsCounted) {
    auto matrix = make_matrix<float>(1, 6);
    matrix.data = {-2, -1, 0, 1, 2, INFINITY};
    Layer layer;
    layer.values = plane_of(matrix);
    const Clipped clipped = clipped_of(layer, -1, 0.5F);
    EXPECT_TRUE(clipped.exact);
    EXPECT_EQ(clipped.below, 1);
    EXPECT_EQ(clipped.above, 2) << "an infinity has a colour of its own";
}

TEST(HeatTools, ShiftAndADragChooseARectangle) {
    OffscreenShell shell(1920, 1080, 1);
    load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
    const auto play_script = [&](const std::string& script) { play(shell, parse_script(script, "script")); };
    play_script("click tiles/b0/i0/P\nhold Shift\ndrag heat/got .4 .4 60 40\nrelease Shift\nexpect zoom fit\n"
    );
    const HeatTools& tools = shell.app.workspace.heatmaps.tools;
    ASSERT_TRUE(exists(tools.region));
    EXPECT_GT(tools.region.cols, tools.region.rows);
    play_script("click heat/copy/CSV\nwait 2\n");
    const char* text = ImGui::GetClipboardText();
    const std::string copied = text != nullptr ? text : "";
    EXPECT_EQ(std::count(copied.begin(), copied.end(), '\n'), tools.region.rows);
    play_script("click heat/got .5 .5\n");
    EXPECT_FALSE(exists(shell.app.workspace.heatmaps.tools.region)) << "a click ends it";
}

TEST(HeatTools, TheLookOfAHeatmapIsChosenBehindOneButton) {
    OffscreenShell shell(1366, 768, 1);
    load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
    play(
        shell,
        parse_script(
            "click heat/look\nwait 2\nclick heat/overlay/signs\nclick heat/colours/cividis\n"
            "click heat/profiles\nwait 3\n",
            "script"
        )
    );
    const HeatTools& tools = shell.app.workspace.heatmaps.tools;
    EXPECT_EQ(tools.overlay, Overlay::signs);
    EXPECT_EQ(tools.value_colours, 1);
    EXPECT_TRUE(tools.profiles);
}

}  // namespace
}  // namespace wl::app
