// The timeline and the map of verdicts, driven by the mouse.
#include "app/draw/timeline/measure.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace wl::app {
namespace {

struct Window {
    OffscreenShell shell;
    explicit Window(int width = 1920, int height = 1080) : shell(width, height, 1) {
        load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
        shell.app.workspace.headline.open = false;  // the panels have its room
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    const TimelinePanel& timeline() const { return shell.app.workspace.timeline; }
};

TEST(TimelinePanel, ADoubleClickFitsAndDoesNothingElse) {
    Window window;
    window.play("click timeline/scrub .3 .5\nwheel timeline/scrub .3 .5 6\n");
    const Selection before = window.shell.app.selection;
    EXPECT_GT(window.timeline().last - window.timeline().first, 0);
    window.play("double timeline/scrub .7 .5\nmove menu/file\n");
    EXPECT_EQ(window.shell.app.selection.time, before.time);
    EXPECT_EQ(window.shell.app.selection.tile, before.tile);
    EXPECT_EQ(window.timeline().first, 0);
    EXPECT_EQ(window.timeline().last, window.shell.app.session.timelines[0].end);
}

TEST(TimelinePanel, AStretchIsMeasuredWithShift) {
    Window window;
    const Selection before = window.shell.app.selection;
    window.play("hold Shift\ndrag timeline/scrub .2 .5 400 0\nrelease Shift\n");
    EXPECT_EQ(window.shell.app.selection.time, before.time) << "measuring moves nothing";
    ASSERT_TRUE(window.timeline().measured.is_chosen());
    const analysis::Timeline& timeline = window.shell.app.session.timelines[0];
    const StretchShares shares =
        shares_of(timeline, window.shell.app.session.capture.stages.size(), window.timeline().measured);
    double all = 0;
    for (const double stage : shares.stages) all += stage;
    EXPECT_NEAR(all, 1, 1e-9) << "every instant of a warp is of one stage";
    window.play("click timeline/scrub .5 .5\n");
    EXPECT_FALSE(window.timeline().measured.is_chosen()) << "a click ends it";
}

TEST(TimelinePanel, KeysMoveAndZoomWhereTheMouseIs) {
    Window window;
    window.play("move timeline/scrub .5 .3\nhold W\nwait 10\nrelease W\n");
    const double extent = window.timeline().last - window.timeline().first, first = window.timeline().first;
    EXPECT_LT(extent, window.shell.app.session.timelines[0].end / 2.0);
    window.play("move timeline/scrub .5 .3\nhold D\nwait 4\nrelease D\n");
    EXPECT_GT(window.timeline().first, first);
    EXPECT_NEAR(window.timeline().last - window.timeline().first, extent, 1e-6);
}

TEST(TimelinePanel, CellsOfTheMapHaveTheColoursOfTheirTiles) {
    Window window;
    window.play("move menu/file\nwait 2\n");
    const Session& session = window.shell.app.session;
    const TilesMap& shown = window.shell.app.workspace.tiles.map;
    const auto& controls = window.shell.app.ui.controls;
    const auto at = std::ranges::find(controls, "tiles/map", &Control::name);
    ASSERT_NE(at, controls.end());
    const float width = (at->high.x - at->low.x) / static_cast<float>(shown.map.cols),
                height = (at->high.y - at->low.y) / static_cast<float>(shown.map.rows);
    const Image image = window.shell.pixels();
    int wrong = 0, right = 0;
    for (size_t i = 0; i < session.capture.tiles.size(); ++i) {
        if (shown.map.row_of[i] < 0) continue;
        const auto x =
            static_cast<size_t>(at->low.x + width * (static_cast<float>(shown.map.col_of[i]) + 0.4F));
        const auto y =
            static_cast<size_t>(at->low.y + height * (static_cast<float>(shown.map.row_of[i]) + 0.4F));
        const uint8_t* rgb = image.rgb.data() + (y * static_cast<size_t>(image.width) + x) * 3;
        const bool bad = session.capture.tiles[i].verdict == capture::Verdict::bad,
                   red = rgb[0] > rgb[1] + 60;
        EXPECT_EQ(red, bad) << "tile " << i << " at " << x << ", " << y;
        if (red != bad) break;
        ++(bad ? wrong : right);
    }
    EXPECT_GT(wrong, 100);
    EXPECT_GT(right, 1000);
}

// What is said of a whole output stands where the block stored it; what has no instant has no flag.
TEST(TimelinePanel, AFlagOfAnOutputStandsWhereItWasStored) {
    Window window;
    Session& session = window.shell.app.session;
    capture::Capture c = testing::synthetic_capture();
    const auto& events = c.records[0].events;
    const auto stored = std::find_if(events.begin(), events.end(), [&](const capture::Event& event) {
        return event.time > 1000 && c.sites[event.site].line > 0;
    });
    ASSERT_NE(stored, events.end());
    const capture::Site& site = c.sites[stored->site];
    capture::Finding finding;
    finding.rule = "values_differ", finding.title = "of the output";
    finding.where.file = c.sources[static_cast<size_t>(site.source)].path, finding.where.line = site.line;
    finding.where.block = 0, finding.where.warp = stored->warp, finding.where.tile = "O";
    c.findings.assign(1, finding);
    const auto first = std::find_if(events.begin(), events.end(), [&](const capture::Event& event) {
        return event.warp == stored->warp && c.sites[event.site].line == site.line;
    });
    finding.where.line = 99'999, finding.where.warp = -1;
    c.findings.push_back(finding);
    load(session, window.shell.app.selection, c, "output.wlcap");
    window.play("wait 2\n");
    ASSERT_EQ(window.timeline().flags.all.size(), 1U);
    EXPECT_EQ(window.timeline().flags.all[0].time, first->time);
    EXPECT_EQ(window.timeline().flags.all[0].warp, stored->warp);
    window.play("click timeline/scrub .9 .5\nclick findings/0\n");
    EXPECT_EQ(window.shell.app.selection.time, first->time) << "the finding leads to the same instant";
}

TEST(TimelinePanel, AFlagLeadsToItsFinding) {
    Window window;
    window.play("click tiles/b0/i0/scores\nclick timeline/scrub .9 .5\nexpect finding -1\n");
    ASSERT_FALSE(window.timeline().flags.all.empty());
    const TimelineFlag flag = window.timeline().flags.all.front();
    window.play("click timeline/finding/" + std::to_string(flag.finding) + "\n");
    EXPECT_EQ(window.shell.app.selection.finding, flag.finding);
    EXPECT_EQ(window.shell.app.selection.time, flag.time);
}

TEST(TimelinePanel, ClicksGoThroughMarksOfOneInstant) {
    capture::Capture capture = testing::synthetic_capture();
    int same = 0;
    for (capture::Tile& tile : capture.tiles)
        if (tile.block == 0 && tile.iteration == 0) tile.time = 100, ++same;
    ASSERT_GT(same, 2);
    Window window;
    load(window.shell.app.session, window.shell.app.selection, std::move(capture), "same.wlcap");
    window.play("click tiles/b0/i0/scores\n");
    std::set<int> seen;
    const auto& app = window.shell.app;
    const double end = app.session.timelines[0].end;
    for (int i = 0; i < same; ++i) {
        window.play("click timeline/scrub " + std::to_string(100 / end) + " .97\n");
        seen.insert(app.selection.tile);
    }
    EXPECT_EQ(static_cast<int>(seen.size()), same);
}

// Rows keep a height in which their names can be read; those that have no room are reached by scrolling.
TEST(TimelinePanel, RowsThatHaveNoRoomAreScrolledTo) {
    Window window(960, 600);
    const auto control = [&](const std::string& name) -> const Control* {
        const auto& all = window.shell.app.ui.controls;
        const auto at =
            std::find_if(all.begin(), all.end(), [&](const Control& c) { return c.name == name; });
        return at != all.end() ? &*at : nullptr;
    };
    window.play("move menu/file\nwait 2\n");
    ASSERT_NE(control("timeline/w0"), nullptr);
    EXPECT_GE(control("timeline/w0")->high.y - control("timeline/w0")->low.y, kLeastRow);
    EXPECT_EQ(control("timeline/w7"), nullptr) << "there is no room for it";
    window.play("wheel timeline/w1 .5 .5 -9\nwait 2\n");
    ASSERT_NE(control("timeline/w7"), nullptr) << "the wheel over the names";
    EXPECT_EQ(control("timeline/w0"), nullptr);
    window.play("click timeline/w7\nexpect warp 7\n");
    window.play("drag timeline/scroll .5 .9 0 -200\nwait 2\n");
    EXPECT_NE(control("timeline/w0"), nullptr) << "the bar";
    window.shell.app.selection.warp = 5;
    window.play("wait 2\n");
    EXPECT_NE(control("timeline/w5"), nullptr) << "one that is selected elsewhere comes into sight";
    const TimelineFlags& flags = window.timeline().flags;
    ASSERT_FALSE(flags.all.empty());
    const Control* flag = control("timeline/finding/" + std::to_string(flags.all.front().finding));
    ASSERT_NE(flag, nullptr) << "a finding is seen wherever its warp is";
    EXPECT_GE(flag->low.y, control("timeline/scrub")->low.y);
}

TEST(TimelinePanel, RowsThatHaveRoomAreNotScrolled) {
    Window high;
    high.play("move menu/file\nwait 2\n");
    const auto& all = high.shell.app.ui.controls;
    EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](const Control& c) {
        return c.name == "timeline/scroll";
    }));
}

TEST(TimelinePanel, EveryStageIsInTheLegendOrNone) {
    for (const int width : {1280, 1920}) {
        Window window(width, 720);
        window.play("move menu/file\nwait 2\n");
        const auto& all = window.shell.app.ui.controls;
        const auto in_legend = std::count_if(all.begin(), all.end(), [](const Control& c) {
            return c.name.starts_with("timeline/stage/");
        });
        EXPECT_EQ(in_legend, static_cast<int>(window.shell.app.session.capture.stages.size()) + 1) << width;
    }
}

TEST(TimelinePanel, ASpanIsFoundByItsWarpAndTime) {
    analysis::Timeline timeline;
    timeline.stages = {
        {0, 0, 0,  10, 0},
        {0, 1, 10, 30, 0},
        {2, 0, 5,  50, 0}
    };
    EXPECT_EQ(span_at(timeline.stages, 0, 9), timeline.stages.data());
    EXPECT_EQ(span_at(timeline.stages, 0, 10), timeline.stages.data() + 1);
    EXPECT_EQ(span_at(timeline.stages, 0, 30), nullptr);
    EXPECT_EQ(span_at(timeline.stages, 1, 5), nullptr);
    EXPECT_EQ(span_at(timeline.stages, 2, 49), timeline.stages.data() + 2);
    const StretchShares shares = shares_of(timeline, 2, {20, 0});
    EXPECT_EQ(shares.length, 20);
    EXPECT_NEAR(shares.stages[1], 10.0 / 35, 1e-9);
}

TEST(TilesMap, ACellLeadsToItsTile) {
    Window window;
    window.play("click tiles/map .01 .01\n");
    EXPECT_EQ(window.shell.app.selection.tile, window.shell.app.workspace.tiles.map.map.at(0, 0).tile);
    const VerdictMap& map = window.shell.app.workspace.tiles.map.map;
    window.play("click tiles/map .99 .99\n");
    EXPECT_EQ(window.shell.app.selection.tile, map.at(map.rows - 1, map.cols - 1).tile);
}

TEST(TilesMap, AFilterOpensWhatItFindsAndHidesTheRest) {
    Window window;
    window.play(
        "click tiles/filter\ntype alpha\nclick tiles/b0/i3/alpha\nexpect tile alpha\nexpect iteration 3\n"
    );
    for (const Control& control : window.shell.app.ui.controls)
        EXPECT_FALSE(control.name.starts_with("tiles/") && control.name.ends_with("/scores")) << control.name;
}

}  // namespace
}  // namespace wl::app
