// What the window leads to in a real run: the first wrong element, and no move of time by looking.
#include "app/session/compare/against.h"
#include "app/session/edit/known.h"
#include "app/session/headline.h"
#include "app/session/navigate.h"
#include "app/session/run.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

namespace wl::app {
namespace {

struct Window {
    test::TemporaryFolder folder;
    OffscreenShell shell{1600, 900, 1};
    Session& session = shell.app.session;
    Selection& selection = shell.app.selection;
    explicit Window(std::vector<std::string> words) {
        const std::string path = folder.path + "/run.wlcap";
        words.insert(words.begin(), "run");
        words.insert(words.end(), {"-o", path, "--quiet", "--search", "0"});
        EXPECT_NE(test::warplens(words).status, 2);
        session.program = WL_PROGRAM;
        load(session, selection, capture::read_capture(path), path);
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
};
const std::vector<std::string> kWrong = {
    "v2c_3", "--fault", "32x", "--set", "B=1", "--set", "H=1", "--set", "S=128"};

TEST(WindowAnswers, WrongSelectsTheFirstWrongElementAndItsFinding) {
    Window window(kWrong);
    const uint32_t begin = window.selection.time;
    window.play(
        "click tiles/b0/i0/scores\n wait 2\n click step/first-bad\n wait 3\n until waiting no\n wait 3\n"
    );
    window.play(
        "expect tile l\n expect iteration 0\n expect selection 0,0\n expect finding 0\n expect line "
        "v2c_3.cu:108\n"
    );
    EXPECT_EQ(window.session.current.wrong_count, 64);
    EXPECT_LT(window.selection.time, begin) << "where it was written, before its mark";
    EXPECT_EQ(window.session.lanes.report->line, 108);
}

TEST(WindowAnswers, LookingMovesNoTime) {
    Window window(kWrong);
    for (const char* place : {"a finding", "a tile", "a line"}) {
        if (place == std::string("a tile")) window.play("click tiles/b0/i0/P\n wait 2\n");
        if (place == std::string("a line")) select_line(window.session, window.selection, 0, 104);
        window.play("wait 2\n");
        const uint32_t time = window.selection.time;
        for (const char* panel : {"Lanes", "Fragments", "Shared memory", "Provenance"}) {
            window.play("panel " + std::string(panel) + "\n wait 3\n until waiting no\n wait 3\n");
            EXPECT_EQ(window.selection.time, time) << panel << " after " << place;
        }
        window.play("panel Heatmaps\n wait 2\n");
    }
    window.play("panel Lanes\n wait 3\n until lanes v2c_3.cu:104\n");
    const uint32_t time = window.selection.time;
    window.play("click lanes/forward\n wait 3\n until waiting no\n wait 2\n");
    EXPECT_NE(window.selection.time, time) << "a step moves it";
}

// From nothing to the cause and its mending: a run, and one press.
TEST(WindowAnswers, TheFixOfARunIsTriedAsB) {
    OffscreenShell shell(1280, 720, 1);
    Session& session = shell.app.session;
    session.program = WL_PROGRAM;
    session.kernels = {describe_kernel("v2c_3")};
    KernelOptions options;
    options.kernel = "v2c_3", options.faults = {"32x"}, options.set = {"B=1", "H=1", "S=128"};
    run(session, options);
    app::play(shell, parse_script("until verdict findings\n until worker none\n wait 3\n", "script"));
    const auto found = headline_of(session, shell.app.selection);
    ASSERT_TRUE(found && found->has_patch);
    EXPECT_EQ(found->was, "l_add = warp_reduce_sum(l_add);");
    EXPECT_EQ(found->now, "") << "the line goes";
    const std::string source = session.capture.sources[0].text;
    app::play(shell, parse_script("click headline/try\n wait 3\n until worker none\n wait 3\n", "script"));
    ASSERT_TRUE(has_other(session.against)) << session.message.text;
    EXPECT_EQ(session.against.name, "v2c_3 + 32x, mended");
    EXPECT_EQ(session.against.other->verdict, "ok");
    EXPECT_TRUE(headline_of(session, shell.app.selection)->mends);
    EXPECT_EQ(session.request.kernel, "v2c_3") << "questions are about A";
    EXPECT_EQ(test::read_file(test::source_path("kernels/v2c_3.cu")), source) << "the user's file stays";
}

}  // namespace
}  // namespace wl::app
