// The whole window off screen, used by scripts of mouse and keys: what one panel does, every other panel
// follows.
#include "app/draw/palettes.h"
#include "app/shell/driver.h"
#include "app/shell/picture.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/error.h"
#include "tests/support/synthetic_capture.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

struct Window {
    OffscreenShell shell;
    Window(int width, int height, float scale = 1) : shell(width, height, scale) {
        load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
        shell.app.workspace.headline.open = false;  // the panels have its room
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
};

TEST(Workspace, OpensAtTheWitnessOfTheFirstFinding) {
    Window window(1920, 1080);
    window.play(
        "expect finding 0\n expect tile l\n expect block 0\n expect iteration 0\n expect line "
        "attention.cu:22\n"
    );
}

TEST(Workspace, AClickOnAFindingMovesTheSelectionToItsWitness) {
    Window window(1920, 1080);
    window.play(R"(
        click tiles/b0/i0/scores
        expect tile scores
        expect line attention.cu:10
        click findings/0 .5 .1
        expect tile l
        expect selection 0,0
        expect line attention.cu:22
        click findings/1 .5 .2
        expect tile O
        expect block -1
        expect line attention.cu:31)");
}

TEST(Workspace, BothWitnessesOfAFindingMoveTheInstant) {
    Window window(1920, 1080);
    window.play("click findings/0 .5 .1\n");
    const uint32_t first = window.shell.app.selection.time;
    window.play("click findings/0/second\n expect line attention.cu:23\n expect tile l\n");
    EXPECT_NE(window.shell.app.selection.time, first);
    window.play("click findings/0/first\n expect line attention.cu:22\n");
    EXPECT_EQ(window.shell.app.selection.time, first);
}

TEST(Workspace, StepsForwardAndBackThroughKernelTime) {
    Window window(1920, 1080);
    window.play("click tiles/b0/i0/P\n expect tile P\n");
    const Selection start = window.shell.app.selection;
    for (const char* keys :
         {"key RightArrow\n%key LeftArrow\n", "click timeline/forward\n%click timeline/back\n"}) {
        const std::string script = keys;
        window.play(script.substr(0, script.find('%')));
        EXPECT_GT(window.shell.app.selection.time, start.time) << script;
        window.play(script.substr(script.find('%') + 1));
        EXPECT_EQ(window.shell.app.selection.time, start.time) << script;
        EXPECT_EQ(window.shell.app.selection.tile, start.tile) << script;
    }
}

TEST(Workspace, SteppingByStopsReachesTheEndOfTheBlockAndStaysThere) {
    Window window(1366, 768);
    std::string script = "click timeline/scrub 0 .3\n";
    for (int i = 0; i < 150; ++i) script += "key RightArrow\n";
    window.play(script);
    const Selection end = window.shell.app.selection;
    EXPECT_EQ(end.iteration, 7);
    window.play("key RightArrow\n");
    EXPECT_EQ(window.shell.app.selection, end) << "there is nothing behind the end";
    window.play("key LeftArrow\n");
    EXPECT_LT(window.shell.app.selection.time, end.time);
}

TEST(Workspace, ScrubbingMovesTileIterationAndSourceLine) {
    Window window(1920, 1080);
    window.play("click timeline/scrub .02 .5\n");
    const Selection early = window.shell.app.selection;
    window.play("drag timeline/scrub .02 .5 1200 0\n");
    const Selection late = window.shell.app.selection;
    EXPECT_GT(late.time, early.time);
    EXPECT_GT(late.iteration, early.iteration);
    EXPECT_GE(late.site, 0);
    const capture::Tile& tile = window.shell.app.session.capture.tiles[static_cast<size_t>(late.tile)];
    EXPECT_LE(tile.time, late.time) << "the tile shown was taken by then";
}

TEST(Workspace, HoveringOneHeatmapMovesTheCrossHairOfAll) {
    Window window(1920, 1080);
    window.play("click tiles/b0/i0/P\n move heat/difference .5 .5\n");
    const Element hovered = window.shell.app.selection.hovered;
    EXPECT_TRUE(exists(hovered));
    window.play("move heat/got .5 .5\n");
    EXPECT_EQ(window.shell.app.selection.hovered, hovered) << "the views are linked";
    window.play("click heat/reference .5 .5\n");
    EXPECT_EQ(window.shell.app.selection.element, hovered);
    window.play("move menu/file\n");
    EXPECT_FALSE(exists(window.shell.app.selection.hovered));
}

TEST(Workspace, PansZoomsAndFits) {
    Window window(1920, 1080);
    window.play("click tiles/b0/i0/P\n expect zoom fit\n");
    const HeatView fitted = window.shell.app.workspace.heatmaps.views[0];
    window.play("wheel heat/got .5 .5 4\n expect zoom free\n");
    const HeatView zoomed = window.shell.app.workspace.heatmaps.views[0];
    EXPECT_GT(zoomed.cell_width, 1.5 * fitted.cell_width);
    window.play("drag heat/got .5 .5 60 40\n");
    const HeatView panned = window.shell.app.workspace.heatmaps.views[0];
    EXPECT_NEAR(panned.col, zoomed.col - 60 / zoomed.cell_width, 0.01);
    EXPECT_NEAR(panned.row, zoomed.row - 40 / zoomed.cell_height, 0.01);
    window.play("click heat/zoom/fit\n expect zoom fit\n");
    EXPECT_DOUBLE_EQ(window.shell.app.workspace.heatmaps.views[0].cell_width, fitted.cell_width);
}

TEST(Workspace, TheRangeFollowsItsHandlesUntilAutofit) {
    Window window(1920, 1080);
    window.play("click tiles/b0/i0/P\n expect autofit on\n");
    const HeatmapsPanel& heat = window.shell.app.workspace.heatmaps;
    const float hi = heat.hi;
    window.play("drag heat/bar/got .985 .4 -150 0\n expect autofit off\n");
    EXPECT_LT(heat.hi, hi);
    EXPECT_GT(heat.hi, heat.lo);
    window.play("click heat/autofit\n expect autofit on\n");
    EXPECT_EQ(heat.hi, hi);
}

TEST(Workspace, MetricsAndFlipSwitch) {
    Window window(1920, 1080);
    window.play(R"(
        click heat/metric/ratio
        expect metric ratio
        click heat/metric/ulp
        expect metric ulp
        hold Space
        expect flipped yes
        release Space
        expect flipped no)");
}

TEST(Workspace, NJumpsFromBadTileToBadTile) {
    Window window(1920, 1080);
    window.play(
        "click tiles/b0/i0/scores\n key N\n expect tile l\n expect iteration 0\n key N\n expect tile l\n "
        "expect iteration 1\n"
    );
    window.play("click tiles/first-bad\n expect tile l\n expect iteration 0\n");
}

TEST(Workspace, ATileWithNaNsAndInfinitiesIsDrawnByEveryPanel) {
    capture::Capture capture = testing::synthetic_capture();
    capture::Tile& tile = capture.tiles[4];  // P, with its writers
    std::vector<float> values(static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols), 0.5F);
    values[70] = std::nanf("");
    values[200] = INFINITY;
    values[300] = -INFINITY;
    for (size_t i = 64 * 56; i < values.size(); ++i) values[i] = std::nanf("");
    tile.values = add_blob(capture.blobs, values);
    tile.verdict = capture::Verdict::bad;
    Window window(1920, 1080);
    load(window.shell.app.session, window.shell.app.selection, std::move(capture), "broken.wlcap");
    for (const char* metric : {"difference", "relative", "ratio", "ulp"}) {
        window.play(
            std::string("click tiles/b0/i0/P\n click heat/zoom/fit\n click heat/metric/") + metric + "\n"
        );
        window.play(
            "click errors/0\n click heat/zoom/cell\n move heat/difference .5 .5\n move ownership/map .5 .9\n"
        );
    }
    EXPECT_EQ(window.shell.app.session.current.non_finite.size(), kMaxMarks);
}

// A control that fell off the window or under another one would not be found, or would not answer.
TEST(Workspace, EveryControlAnswersOnASmallScreenToo) {
    Window window(1366, 768);
    window.play(R"(
        click heat/metric/relative
        expect metric relative
        click heat/zoom/cell
        expect zoom cell
        click heat/zoom/fit
        click heat/autofit
        click timeline/forward
        click tiles/first-bad
        expect tile l
        click tab/Ownership
        move ownership/w5
        click tab/Element
        move run/start
        move element/history)");
    for (const Control& control : window.shell.app.ui.controls) {
        EXPECT_GE(control.low.x, -1) << control.name.substr(0, 30);
        EXPECT_LE(control.high.x, 1367) << control.name.substr(0, 30);
    }
}

// Low windows fold what the row of steps has no room for into a menu, on and back.
TEST(Workspace, EveryStepOfTheTimelineIsReachedByTheMouseOnTheSmallestWindow) {
    for (const int width : {1920, 960, 560}) {
        Window window(width, 600);
        window.shell.app.session.program = "/bin/false";
        window.play("panel Timeline\nmove menu/file\nwait 3\n");
        const bool folded = value_of(window.shell.app, "control/step/more") == "shown";
        EXPECT_EQ(folded, width < 1920) << width;
        if (folded) window.play("click step/more\nwait 3\n");
        for (const char* name :
             {"over",
              "over/back",
              "iteration",
              "go/back",
              "write",
              "write/back",
              "break-write",
              "first-nan",
              "first-inf",
              "first-bad"}) {
            const std::string control = std::string("step/") + name;
            ASSERT_EQ(value_of(window.shell.app, "control/" + control), "shown") << control << " " << width;
        }
        for (const Control& control : window.shell.app.ui.controls) {
            if (!control.name.starts_with("step/")) continue;
            EXPECT_GE(control.low.y, 0) << control.name << " " << width;
            EXPECT_LE(control.high.x, static_cast<float>(width)) << control.name << " " << width;
            EXPECT_LE(control.high.y, 600) << control.name << " " << width;
        }
        if (width == 960) window.play("key Escape\nwait 3\n");  // there it stands in the row
        window.play("click step/break-write\nwait 3\n");
        EXPECT_EQ(window.shell.app.session.breakpoints.size(), 1U) << "it answered, " << width;
    }
}

TEST(Workspace, HeatmapsHaveTheHeightOfALowWindow) {
    Window window(960, 600);
    window.play("click tiles/b0/i0/P\nmove menu/file\nwait 3\n");
    const auto extent_of = [&](const std::string& name) {
        for (const Control& control : window.shell.app.ui.controls)
            if (control.name == name) return control.high.y - control.low.y;
        return 0.0F;
    };
    EXPECT_GT(extent_of("heat/got"), 150);
    EXPECT_GT(extent_of("timeline/scrub"), 90);
}

// Names as templates and generated code have them: every panel clips or wraps them, and no control leaves the
// window.
TEST(Workspace, VeryLongNamesStayInsideTheirPanels) {
    const std::string tail(300, 'x');
    capture::Capture capture = testing::synthetic_capture();
    capture.launch.kernel += tail;
    for (capture::Probe& probe : capture.probes) probe.name += tail;
    for (std::string& stage : capture.stages) stage += tail;
    for (capture::Source& source : capture.sources) source.path = tail + "/" + source.path;
    for (capture::Site& site : capture.sites) site.text += tail;
    for (capture::Finding& finding : capture.findings) {
        finding.title += tail, finding.explanation += tail, finding.proof += tail;
        if (!finding.where.tile.empty()) finding.where.tile += tail;
        finding.evidence.emplace_back(tail, 1.0);
    }
    for (const auto& [width, height] : {
             std::pair{1280, 720 },
             std::pair{1920, 1080}
    }) {
        Window window(width, height);
        load(window.shell.app.session, window.shell.app.selection, capture, tail + ".wlcap");
        window.play(
            "expect finding 0\n click findings/0 .5 .01\n click heat/metric/ratio\n click timeline/forward\n"
        );
        for (const char* name : {"timeline/forward", "timeline/back", "run/start", "tiles/first-bad"})
            window.play(std::string("move ") + name + "\n");
        for (const Control& control : window.shell.app.ui.controls) {
            EXPECT_GE(control.low.x, -1) << control.name.substr(0, 30);
            EXPECT_LE(control.high.x, static_cast<float>(width) + 1) << control.name.substr(0, 30);
        }
    }
}

BankTable two_lines() {
    LaneAccesses column{AccessKind::store, 4, 0xff, {}};
    for (uint64_t lane = 0; lane < 8; ++lane) column.at[lane] = lane * 256;
    BankTable table;
    table.wavefronts = 10, table.ideal = 3;
    table.lines.resize(2);
    table.lines[0] = {
        "attention.cu", "st.shared.f32 [%r1], %f1;", "scores", 10, {}, 1, 8, 1, 8, 0, 0, column};
    table.lines[1] = {
        "attention.cu", "ld.shared.f32 %f1, [%r1];", "scores", 22, {}, 1, 2, 2, 1, 0, 1, column};
    table.remedies = {
        {"scores", "pad each row by 4 elements", 10, 3, true}
    };
    return table;
}

TEST(Workspace, AClickOnALineOfBanksMovesTheSource) {
    for (const int width : {1920, 1366}) {
        Window window(width, 768);
        window.play("click tab/Banks\n expect banks none\n");
        window.shell.app.session.banks.table = two_lines();
        window.play("wait 2\n click banks/0\n expect line attention.cu:10\n move banks/picture .5 .5\n");
        window.play("click banks/1\n expect line attention.cu:22\n expect banks counted\n");
    }
}

TEST(Workspace, TheSameScriptDrawsTheSamePixels) {
    const auto picture = [] {
        Window window(1366, 768);
        window.play("click tiles/b0/i0/P\n wheel heat/got .3 .3 6\n move heat/got .6 .6\n wait 4\n");
        return window.shell.pixels().rgb;
    };
    EXPECT_EQ(picture(), picture());
}

TEST(Script, SaysWhichLineFailedAndWhatIsThere) {
    Window window(1366, 768);
    const auto failure = [&window](const std::string& script) -> std::string {
        try {
            window.play(script);
        } catch (const Error& error) { return error.what(); }
        return "it passed";
    };
    EXPECT_EQ(failure("wait 1\nexpect tile scores\n"), "script:2: expected tile scores, it is l.");
    EXPECT_EQ(
        failure("click heat/metric/ratoi\n"),
        "script:1: no control named 'heat/metric/ratoi' is on the screen; there is 'heat/metric/ratio'."
    );
    EXPECT_EQ(failure("clack x\n"), "script:1: 'clack' is no command.");
}

TEST(Picture, IsDrawnForEveryViewAndRefusedWithAReason) {
    const capture::Capture capture = testing::synthetic_capture();
    const std::string png = (std::filesystem::temp_directory_path() / "wl_picture_test.png").string();
    for (const char* name :
         {"got", "reference", "difference", "relative", "ratio", "ulp", "owner", "coverage"}) {
        const auto view = view_from_name(name);
        ASSERT_TRUE(view.has_value()) << name;
        write_tile_picture(capture, 0, *view, png);
        EXPECT_GT(std::filesystem::file_size(png), 3000U) << name;
        std::filesystem::remove(png);
    }
    EXPECT_FALSE(view_from_name("diff").has_value());
    const int other_block = static_cast<int>(capture.tiles.size()) - 2;
    EXPECT_THROW(write_tile_picture(capture, other_block, View::got, png), Error)
        << "its elements were not kept";
    EXPECT_THROW(write_tile_picture(capture, 0, View::got, "/nonexistent/folder/picture.png"), Error);
}

}  // namespace
}  // namespace wl::app
