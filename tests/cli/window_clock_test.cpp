// One instant in the real window: steps by keys and buttons, breakpoints in the gutter, the timeline; and
// what a user's own kernel needs there.
#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "tests/support/desktop.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace wl::app {
namespace {

using test::colour_at;
using test::Desktop;

constexpr const char* kGemm = "tests/kernels/gemm.cu";

std::string place_of(const std::string& text) {
    const std::string place = test::source_place(kGemm, text);
    return place.substr(place.rfind('/') + 1);
}
std::string number_of(const std::string& text) {
    const std::string place = place_of(text);
    return place.substr(place.rfind(':') + 1);
}
const std::string kFirst = "const int row = first_row + i;", kSecond = "a[row * kLd + column] =",
                  kThird = "b[row * kLd + column] =", kSums = "WL_FRAGMENT(\"dot\", dot)";

struct Clock : testing::Test {
    Desktop desktop{1600, 900};
    Session& session = desktop.shell.app.session;
    Selection& selection = desktop.shell.app.selection;

    void SetUp() override {
        ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
        ASSERT_NO_FATAL_FAILURE(
            desktop.show({"run", test::source_path("tests/kernels/gemm.toml"), "--record", "1,1,0"})
        );
        desktop.play("click tab/Lanes\n wait 3\n");
        selection.warp = 2;
        move_to_time(session, selection, time_of_load());
        select_line(session, selection, 0, std::stoi(number_of(kFirst)));
        desktop.play("wait 3\n until lanes " + place_of(kFirst) + "\n");
    }
    // Of the second iteration, so that there is one before and one behind.
    uint32_t time_of_load() const {
        for (const analysis::StageSpan& span : session.timelines[0].stages)
            if (span.warp == 2 && span.stage == 0 && span.iteration == 1) return span.begin + 1;
        throw std::runtime_error("warp 2 has no second iteration");
    }
    const LaneReport& report() const { return *session.lanes.report; }
    void settle() {
        while (is_waiting(session)) desktop.play("wait 2\n");
    }
    // What the panels say of the instant is one and the same.
    void expect_one_instant(const std::string& when) const {
        EXPECT_EQ(selection.warp, report().warp) << when;
        const std::optional<uint32_t> time = timeline_time(session, report());
        ASSERT_TRUE(time) << when;
        EXPECT_EQ(selection.time, *time) << when;
        EXPECT_EQ(selection.line, report().line) << when;
    }
};

TEST_F(Clock, KeysStepByLineForwardAndBackAndThePanelsFollow) {
    EXPECT_EQ(selection.time, time_of_load()) << "to choose a line moves no time";
    const uint64_t first = report().order;
    const std::string loop = "gemm.cu:" + std::to_string(std::stoi(number_of(kFirst)) - 1);
    desktop.play("key F10\n wait 3\n until lanes " + place_of(kSecond) + "\n");
    EXPECT_GT(report().order, first);
    expect_one_instant("F10");
    desktop.play("hold Shift\n key F10\n release Shift\n wait 3\n until lanes " + place_of(kFirst) + "\n");
    EXPECT_EQ(report().order, first);
    expect_one_instant("Shift F10");
    desktop.play("key F10\n key F10\n key F10\n wait 3\n until lanes " + loop + "\n");
    expect_one_instant("three at once");
    desktop.play("key F10\n wait 3\n until lanes " + place_of(kFirst) + "\n");
    EXPECT_EQ(desktop.row("i").changed, ~0U) << "one more in every lane";
    EXPECT_EQ(desktop.row("i").before[7], "0");
    EXPECT_EQ(desktop.row("first_row").changed, 0U);
    const Control cells = desktop.control("lanes/cells/i");
    desktop.play("move tiles/first-bad\n");
    const float x = cells.low.x + (cells.high.x - cells.low.x) * 7.5F / 32;
    EXPECT_EQ(colour_at(desktop.pixels(), x, cells.high.y - 3), colour::kDifference)
        << "the foot of a change";
    desktop.play("key F11\n wait 3\n key F11\n wait 3\n");
    settle();
    EXPECT_LT(report().line, std::stoi(number_of(kFirst))) << "inside element()";
    desktop.play("hold Shift\n key F11\n release Shift\n wait 3\n until lanes " + place_of(kSecond) + "\n");
    expect_one_instant("out");
    const uint64_t order = report().order;
    desktop.play("key Period\n wait 3\n");
    settle();
    EXPECT_GT(report().order, order);
    desktop.play("key Comma\n wait 3\n");
    settle();
    EXPECT_EQ(report().order, order);
    expect_one_instant("an instruction on and back");
}

TEST_F(Clock, ButtonsStepByIterationBarrierAndWrite) {
    const uint32_t first = selection.time;
    desktop.play("click step/iteration\n wait 3\n until lanes " + place_of("WL_STAGE(\"load\")") + "\n");
    EXPECT_GT(selection.time, first);
    expect_one_instant("the next iteration");
    desktop.play("click step/barrier\n wait 3\n");
    settle();
    EXPECT_NE(report().instruction.find("bar"), std::string::npos);
    expect_one_instant("a barrier");
    desktop.play("click step/barrier/back\n wait 3\n");
    settle();
    EXPECT_LT(selection.time, first + 1000);
    expect_one_instant("the one before");
    const uint64_t here = report().order;
    desktop.play("click step/into\n wait 2\n click step/into/back\n wait 3\n");
    settle();
    EXPECT_EQ(report().order, here);
}

TEST_F(Clock, TheTimelineMovesLanes) {
    desktop.play("click timeline/scrub .7 .5\n wait 3\n");
    settle();
    EXPECT_EQ(report().asked.find("--line"), std::string::npos);
    const std::optional<uint32_t> late = timeline_time(session, report());
    ASSERT_TRUE(late);
    EXPECT_NEAR(*late, selection.time, 8);
    const uint64_t order = report().order;
    desktop.play("click timeline/scrub .3 .5\n wait 3\n");
    settle();
    EXPECT_LT(report().order, order);
    EXPECT_NEAR(*timeline_time(session, report()), selection.time, 8);
    desktop.play("key F10\n wait 3\n");
    settle();
    expect_one_instant("a step from there");
}

TEST_F(Clock, APressOnTheGutterSetsABreakpointThatGoStopsAt) {
    const std::string line = number_of(kSums);
    move_to_time(session, selection, time_of_load());
    select_line(session, selection, 0, std::stoi(line));
    desktop.play("wait 3\n until lanes gemm.cu:" + line + "\n click source/gutter/" + line + "\n");
    ASSERT_EQ(session.breakpoints.size(), 1U);
    const Control flag = desktop.control("source/gutter/" + line);
    desktop.play("move tiles/first-bad\n");
    const ImU32 ink = colour_at(desktop.pixels(), flag.low.x + 20, (flag.low.y + flag.high.y) / 2);
    EXPECT_GT(ink >> 16 & 0xff, ink & 0xff) << "blue";
    const uint64_t first = report().order;
    desktop.play("key F5\n wait 4\n until lanes gemm.cu:" + line + "\n");
    EXPECT_GT(report().order, first) << "in the next iteration";
    expect_one_instant("go");
    desktop.play("hold Shift\n key F5\n release Shift\n wait 4\n until lanes gemm.cu:" + line + "\n");
    EXPECT_EQ(report().order, first);
    desktop.play("click source/gutter/" + line + "\n wait 2\n");
    EXPECT_TRUE(session.breakpoints.empty());
    desktop.play("key F5\n wait 3\n");
    settle();
    EXPECT_NE(session.message.text.find("stops nowhere"), std::string::npos) << session.message.text;
    EXPECT_EQ(report().order, first) << "Lanes shows what it showed";
}

TEST_F(Clock, AnArrayOpensAndAVariableIsShownOfEveryWarp) {
    select_line(session, selection, 0, std::stoi(number_of("dot[i] +=")));
    desktop.play("wait 3\n until lanes " + place_of("dot[i] +=") + "\n");
    const auto row_of = [&](const std::string& expression) {
        for (size_t k = 0; k < report().rows.size(); ++k)
            if (report().rows[k].expression == expression) return k;
        throw std::runtime_error("no row " + expression);
    };
    ASSERT_TRUE(report().rows[row_of("dot")].opens);
    EXPECT_FALSE(desktop.shows("lanes/cells/dot[3]"));
    desktop.play("click lanes/row/" + std::to_string(row_of("dot")) + " .2 .5\n wait 3\n");
    settle();
    EXPECT_TRUE(desktop.shows("lanes/cells/dot[3]"));
    EXPECT_EQ(report().rows[row_of("dot[3]")].depth, 1);
    desktop.play("click lanes/warps/first_row\n wait 3\n");
    settle();
    ASSERT_EQ(report().warps.size(), 8U);
    for (int w = 0; w < 8; ++w) {
        EXPECT_TRUE(desktop.shows("lanes/across/" + std::to_string(w)));
        EXPECT_EQ(report().warps[static_cast<size_t>(w)].row.number[9], 4 * w);
    }
    const WarpRow other = report().warps[5];
    desktop.play("click lanes/warp/5\n wait 3\n");
    settle();
    EXPECT_EQ(selection.warp, 5);
    EXPECT_EQ(report().line, other.line) << "where it stands";
    desktop.play("click lanes/row/" + std::to_string(row_of("dot")) + " .2 .5\n wait 3\n");
    settle();
    EXPECT_FALSE(desktop.shows("lanes/cells/dot[3]")) << "closed again";
}

TEST_F(Clock, WarpsStandInTheGutterAndAPressLeadsToThem) {
    const std::string own = "source/warps/" + number_of(kFirst);
    ASSERT_TRUE(desktop.shows(own)) << "warp 2 stands there";
    int elsewhere = 0;
    for (const WarpRow& w : report().warps)
        if (w.lanes != 0 && w.line != report().line &&
            desktop.shows("source/warps/" + std::to_string(w.line)))
            elsewhere = w.line;
    ASSERT_NE(elsewhere, 0) << "warps 0 and 1 have come to the barrier";
    desktop.play("click source/warps/" + std::to_string(elsewhere) + "\n wait 3\n");
    settle();
    EXPECT_NE(selection.warp, 2);
    EXPECT_EQ(report().warp, selection.warp);
    EXPECT_EQ(report().line, elsewhere);
    expect_one_instant("the warp that was pressed");
}

TEST_F(Clock, ABreakpointOnTheElementStopsWhereItIsWritten) {
    select_element(session, selection, {9, 3});
    desktop.play("wait 2\n hold Shift\n key F9\n release Shift\n wait 2\n");
    ASSERT_EQ(session.breakpoints.size(), 1U);
    const std::string element = session.breakpoints.front().element;
    EXPECT_NE(element.find("[9][3]"), std::string::npos) << element;
    desktop.play("key F5\n wait 4\n");
    settle();
    EXPECT_FALSE(session.message.bad) << session.message.text;
    EXPECT_NE(report().asked.find("write " + element), std::string::npos);
    const std::string written = report().instruction;
    EXPECT_TRUE(written.starts_with("st.")) << written;
    expect_one_instant("a write");
    // Where the step led to another tile, the breakpoint has a button of its own.
    const std::string chip = "step/breaks/" + element;
    const bool is_elsewhere = desktop.shows(chip);
    desktop.play(
        is_elsewhere ? "click " + chip + "\n wait 2\n" : "hold Shift\n key F9\n release Shift\n wait 2\n"
    );
    EXPECT_TRUE(session.breakpoints.empty()) << "taken away again";
}

// Buttons that search: what makes the first NaN, what wrote the first wrong element.
TEST(WindowSeek, TheFirstNaNAndTheFirstWrongElementAreAPressAway) {
    Desktop desktop(1600, 900);
    ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
    ASSERT_NO_FATAL_FAILURE(desktop.show({"run", "v2c_4", "--fault", "ld", "--shape", "1,1,64,64"}));
    Session& session = desktop.shell.app.session;
    const Selection& selection = desktop.shell.app.selection;
    const auto settle = [&] {
        while (is_waiting(session)) desktop.play("wait 2\n");
    };
    desktop.play("click tab/Lanes\n wait 3\n");
    settle();
    desktop.play("click step/first-bad\n wait 3\n");
    settle();
    ASSERT_TRUE(session.lanes.report && session.lanes.report->problem.empty()) << session.message.text;
    EXPECT_NE(session.lanes.report->asked.find("--last-write"), std::string::npos);
    EXPECT_NE(session.lanes.report->instruction.find("store"), std::string::npos)
        << session.lanes.report->instruction;
    const auto line_of = [](const char* text) {
        const std::string place = test::source_place("kernels/v2c_4.cu", text);
        return std::stoi(place.substr(place.rfind(':') + 1));
    };
    EXPECT_EQ(selection.line, line_of("wmma::store_matrix_sync(&sh.s")) << "not that of mma.hpp";
    desktop.play("click step/first-nan\n wait 3\n");
    settle();
    EXPECT_NE(session.lanes.report->asked.find("--first nan"), std::string::npos);
    EXPECT_EQ(selection.warp, session.lanes.report->warp);
    EXPECT_EQ(selection.line, line_of("wmma::load_matrix_sync(k, "));
    EXPECT_FALSE(session.message.bad) << session.message.text;
}

TEST(WindowSeek, StepsLeadFromAccessToAccessOfARace) {
    Desktop desktop(1600, 900);
    ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
    ASSERT_NO_FATAL_FAILURE(desktop.show({"run", "v2c_3", "--fault", "sync", "--shape", "1,1,128,64"}));
    Session& session = desktop.shell.app.session;
    ASSERT_TRUE(has_race(session));
    const auto settle = [&] {
        while (is_waiting(session)) desktop.play("wait 2\n");
    };
    desktop.play("click tab/Lanes\n wait 3\n");
    settle();
    desktop.play("click timeline/scrub .001 .5\n wait 3\n");
    settle();
    std::set<std::pair<int, int>> places;
    for (const capture::Finding& f : session.capture.findings)
        for (const capture::Where* w : {&f.where, &f.other}) places.emplace(w->warp, w->line);
    for (int access = 1; access <= 2; ++access) {
        const uint64_t before = session.lanes.report->order;
        desktop.play("click step/race\n wait 3\n");
        settle();
        const LaneReport& report = *session.lanes.report;
        EXPECT_TRUE(places.contains({report.warp, report.line})) << report.warp << ":" << report.line;
        EXPECT_GT(report.order, before) << access << session.message.text;
    }
    const uint64_t second = session.lanes.report->order;
    desktop.play("click step/race/back\n wait 3\n");
    settle();
    EXPECT_LT(session.lanes.report->order, second);
}

// A user's kernel beside its manifest, in a folder of its own.
struct OwnKernel {
    test::TemporaryFolder folder;
    std::string manifest = folder.path + "/gemm.toml", source = folder.path + "/gemm.cu";
    OwnKernel() {
        for (const char* name : {"gemm.cu", "gemm.toml", "gemm.py"})
            std::filesystem::copy_file(test::source_path("tests/kernels/") + name, folder.path + "/" + name);
    }
    void replace(const std::string& what, const std::string& by) const {
        std::string text = test::read_file(source);
        text.replace(text.find(what), what.size(), by);
        test::write_file(source, text);
    }
};

TEST(WindowOwn, AKernelOfOnesOwnRunsAgainAndASyntaxErrorIsShownAtItsLine) {
    const OwnKernel own;
    Desktop desktop(1600, 900);
    ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
    Session& session = desktop.shell.app.session;
    session.watched.on = false;  // it is run by hand here
    session.kernels = {
        {"gemm", "", own.manifest, {"sync"}, {}}
    };
    KernelOptions options;
    options.kernel = own.manifest;
    run(session, options);
    desktop.play("until captures 1\n wait 4\n expect kernel gemm\n click run/start\n until captures 2\n");
    EXPECT_EQ(session.message.bad, false) << session.message.text;

    own.replace("dot[i] += __half2float(", "dot[i] += __half2flo(");
    desktop.play("click run/start\n until worker none\n wait 4\n");
    const std::string line = number_of("dot[i] +=");
    EXPECT_NE(session.message.text.find("gemm.cu:" + line + ": identifier \"__half2flo\""), std::string::npos)
        << session.message.text;
    const Control row = desktop.control("source/broken/" + line);
    const ImU32 ink = colour_at(desktop.pixels(), row.low.x + 1, (row.low.y + row.high.y) / 2);
    EXPECT_EQ(ink, colour::kBad);
    EXPECT_EQ(session.captures, 2U) << "the capture shown is the previous one";

    own.replace("dot[i] += __half2flo(", "dot[i] += __half2float(");
    desktop.play("click run/start\n until captures 3\n wait 3\n");
    EXPECT_FALSE(desktop.shows("source/broken/" + line));
}

}  // namespace
}  // namespace wl::app
