// One instant in the real window: steps by keys and buttons, breakpoints in the gutter, the timeline; and
// what a user's own kernel needs there.
#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "tests/support/desktop.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

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
    expect_one_instant("a line was chosen");
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
