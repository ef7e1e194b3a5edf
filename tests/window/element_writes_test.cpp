// Every write of an element as a list, by real keys and clicks: each leads to its instant, and the element
// stays.
#include "app/session/navigate.h"
#include "tests/support/desktop.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

using test::Desktop;

struct Writes : testing::Test {
    Desktop desktop{1280, 720};
    Session& session = desktop.shell.app.session;
    Selection& selection = desktop.shell.app.selection;

    void SetUp() override {
        ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
        ASSERT_NO_FATAL_FAILURE(
            desktop.show({"run", "v2c_3", "--fault", "32x", "--set", "B=1", "--set", "H=1", "--set", "S=192"})
        );
    }
    void choose(const std::string& name, int iteration, Element element) {
        for (size_t i = 0; i < session.capture.tiles.size(); ++i) {
            const capture::Tile& tile = session.capture.tiles[i];
            const bool there =
                tile.block == (iteration < 0 ? -1 : 0) && tile.iteration == std::max(iteration, 0);
            if (there && session.capture.probes[static_cast<size_t>(tile.probe)].name == name)
                select_tile(session, selection, static_cast<int>(i));
        }
        select_element(session, selection, element);
        desktop.play("wait 3\n");
    }
    void settle() {
        desktop.play("wait 3\n");
        while (is_waiting(session)) desktop.play("wait 1\n");
    }
    const WritesReport& report() const { return *session.writes.report; }
    std::string place_of(const char* text) const {
        const std::string place = test::source_place("kernels/v2c_3.cu", text);
        return place.substr(place.rfind('/') + 1);
    }
};

TEST_F(Writes, AreListedAndAClickGoesThereWhileTheElementStays) {
    choose("l", 1, {3, 0});
    desktop.play("key H\n");
    settle();
    ASSERT_EQ(report().problem, "");
    ASSERT_EQ(report().rows.size(), 4U) << "set to zero, then added to in each of three iterations";
    EXPECT_EQ(report().rows[0].left, "0");
    for (size_t i = 1; i < 4; ++i) {
        const WriteRow& row = report().rows[i];
        EXPECT_EQ(
            row.file.substr(row.file.rfind('/') + 1) + ":" + std::to_string(row.line),
            place_of("sh.l[row] = sh.l[row] *")
        );
        EXPECT_EQ(row.iteration, static_cast<int>(i) - 1);
        EXPECT_EQ(row.stage, "softmax");
        EXPECT_EQ(row.lane, 0);
        EXPECT_GT(row.order, report().rows[i - 1].order);
    }
    const std::vector<HistoryPoint> taken = element_history(session.capture, selection.tile, {3, 0});
    ASSERT_EQ(taken.size(), 3U);
    for (size_t i = 0; i < 3; ++i)
        EXPECT_FLOAT_EQ(std::stof(report().rows[i + 1].left), static_cast<float>(taken[i].got)) << i;

    desktop.play("click element/write/3\n");
    settle();
    const LaneReport& lanes = *session.lanes.report;
    EXPECT_EQ(lanes.order, report().rows[3].order);
    EXPECT_EQ(lanes.line, report().rows[3].line);
    EXPECT_EQ(selection.warp, report().rows[3].warp);
    desktop.play("expect tile l\n expect iteration 1\n expect selection 3,0\n");
    desktop.play("click element/write/1\n");
    settle();
    EXPECT_EQ(session.lanes.report->order, report().rows[1].order);
    desktop.play("key W\n");
    settle();
    EXPECT_EQ(session.lanes.report->order, report().rows[2].order) << "the key leads down the list";
    desktop.play("expect tile l\n expect selection 3,0\n click element/writes\n wait 3\n");
    EXPECT_FALSE(desktop.shows("element/write/0"));
}

TEST_F(Writes, OfAnOutputAreThoseOfTheBlockThatIsShown) {
    choose("O", -1, {2, 5});
    desktop.play("key H\n");
    settle();
    ASSERT_EQ(report().problem, "");
    EXPECT_TRUE(report().global);
    ASSERT_EQ(report().rows.size(), 1U);
    desktop.play("click element/write/0\n");
    settle();
    EXPECT_EQ(session.lanes.report->order, report().rows[0].order);
    desktop.play("expect tile O\n expect selection 2,5\n");
    choose("O", -1, {130, 5});  // of another block
    settle();
    EXPECT_TRUE(report().rows.empty());
}

}  // namespace
}  // namespace wl::app
