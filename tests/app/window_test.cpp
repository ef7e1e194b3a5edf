// The real window: GLFW and OpenGL under a virtual X server, moved by real X events (xdotool), its pixels
// read back.
#include "app/shell/window.h"

#include "app/draw/palettes.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "app/shell/shell_window.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "tests/support/display.h"
#include "tests/support/png.h"
#include "tests/support/synthetic_capture.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;
constexpr int kWidth = 1366, kHeight = 768;

struct Scratch {
    fs::path folder = fs::temp_directory_path() / ("wl_window_test_" + std::to_string(getpid()));
    Scratch() { fs::create_directories(folder); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { fs::remove_all(folder); }
    std::string file(const char* name) const { return (folder / name).string(); }
};

// Where the same window, drawn off screen, has its first heatmap; and the range of its palette.
struct Expectation {
    Box heat;
    HeatView view;
    HeatStyle style;
    Matrix<float> values;
};
Expectation expectation() {
    OffscreenShell shell(kWidth, kHeight, 1);
    load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
    play(shell, parse_script("click tiles/b0/i0/P\nmove menu/file\nwait 3\n", "expectation"));
    Expectation expected;
    for (const Control& control : shell.app.ui.controls) {
        if (control.name == "heat/got") expected.heat = {control.low, control.high};
    }
    const HeatmapsPanel& heat = shell.app.workspace.heatmaps;
    expected.view = heat.views[0];
    expected.style = {HeatMap::values, heat.lo, heat.hi, 0, false};
    const Plane& plane = shell.app.session.current.got.values;
    expected.values = make_matrix<float>(plane.rows, plane.cols);
    for (int row = 0; row < plane.rows; ++row) plane.read(row, 0, plane.cols, &expected.values(row, 0));
    return expected;
}

void expect_heatmap(const Image& image, const Expectation& expected) {
    ASSERT_EQ(image.width, kWidth);
    ASSERT_EQ(image.height, kHeight);
    // Every fifth element away from the selection's frame.
    for (int row = 4; row < expected.values.rows; row += 5) {
        for (int col = 4; col < expected.values.cols; col += 5) {
            const auto x = static_cast<size_t>(x_at_col(expected.view, expected.heat.low, col + 0.5));
            const auto y = static_cast<size_t>(y_at_row(expected.view, expected.heat.low, row + 0.5));
            const size_t at = (y * static_cast<size_t>(image.width) + x) * 3;
            const Rgb wanted = viridis()[palette_index(expected.style, expected.values(row, col))];
            EXPECT_NEAR(image.rgb[at], wanted.r, 6) << row << "," << col;
            EXPECT_NEAR(image.rgb[at + 1], wanted.g, 6) << row << "," << col;
            EXPECT_NEAR(image.rgb[at + 2], wanted.b, 6) << row << "," << col;
        }
    }
}

TEST(Window, DrawsTheHeatmapAndFollowsTheRealMouse) {
    const Expectation expected = expectation();
    const test::VirtualDisplay display(kWidth, kHeight);
    ASSERT_TRUE(display.started) << "Xvfb does not start";
    const Scratch scratch;
    capture::write_capture(testing::synthetic_capture(), scratch.file("synthetic.wlcap"));
    // An element whose cell centre the mouse is sent to, far from the corner where the selection is.
    const Element target{41, 23};
    const int x = static_cast<int>(x_at_col(expected.view, expected.heat.low, target.col + 0.5));
    const int y = static_cast<int>(y_at_row(expected.view, expected.heat.low, target.row + 0.5));
    const std::string place = std::to_string(x) + " " + std::to_string(y);
    const std::string element = std::to_string(target.row) + "," + std::to_string(target.col);
    std::ofstream(scratch.file("script"))
        << "click tiles/b0/i0/P\nexpect tile P\nmove menu/file\nwait 4\nshot " << scratch.file("window.png")
        << "\nuntil hovered " << element << "\nuntil selection " << element << "\n";
    std::thread mouse([&] {
        const std::string shot = scratch.file("window.png");
        for (int tries = 0; tries < 600 && !fs::exists(shot); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const std::string moves = "xdotool mousemove 5 5 sleep 0.2 mousemove " + place +
            " sleep 0.6 mousedown 1 sleep 0.2 mouseup 1";
        EXPECT_EQ(std::system(moves.c_str()), 0);
    });
    OpenRequest request;
    request.capture = scratch.file("synthetic.wlcap");
    request.script = scratch.file("script");
    request.width = kWidth;
    request.height = kHeight;
    request.scale = 1;
    try {
        EXPECT_EQ(open_window(request), 0);
    } catch (const Error& error) { ADD_FAILURE() << error.what(); }
    mouse.join();
    expect_heatmap(test::read_png(scratch.file("window.png")), expected);
}

constexpr const char* kActions = R"(
        click tiles/b0/i0/P
        until tile P
        key 3
        until metric ratio
        click heat/metric/ulp
        until metric ulp
        key 1
        until metric difference
        key Z
        until zoom cell
        key F
        until zoom fit
        wheel heat/got .5 .5 2
        until zoom free
        key F
        until zoom fit
        key X
        until flipped yes
        hold Ctrl
        key 3
        release Ctrl
        until arrange split
        click heat/arrange/side
        until arrange side
        hold Ctrl
        key Equal
        release Ctrl
        until scale 1.25
        hold Ctrl
        key Minus
        release Ctrl
        until scale 1
        key F1
        until keys shown
        key F1
        until keys hidden
        hold Ctrl
        key P
        release Ctrl
        until finder open
        type scores <enter>
        until finder closed
        until tile scores
        key E
        until b the iteration before
        hold Shift
        key V
        release Shift
        until b none
        click menu/go
        click menu/go/back
        until tile P
        hold Ctrl
        key H
        release Ctrl
        until home shown
        hold Ctrl
        key H
        release Ctrl
        until home hidden
        hold Ctrl
        key Q
        release Ctrl)";

constexpr const char* kMore = R"(
        click tiles/b0/i0/P
        until tile P
        hold Shift
        drag heat/got .2 .2 40 30
        release Shift
        until control/heat/copy/Text shown
        click heat/got .5 .5
        until control/heat/copy/Text none
        drag heat/bar/got .985 .4 -150 0
        until autofit off
        key U
        until autofit on
        click timeline/w3
        until warp 3
        click findings/0 .5 .1
        until finding 0
        key N
        until iteration 1
        hold Shift
        key N
        release Shift
        until iteration 0
        hold Ctrl
        key K
        release Ctrl
        until b attention + 32x, kept
        key V
        until against B
        hold Ctrl
        key Q
        release Ctrl)";

// Through the X server and GLFW: keys with and without modifiers, words, clicks, the wheel, a drag.
void play_by_hand(const char* script) {
    const test::VirtualDisplay display(kWidth, kHeight);
    ASSERT_TRUE(display.started) << "Xvfb does not start";
    WindowShell shell(kWidth, kHeight, 1);
    load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
    Driver driver = parse_script(script, "script");
    driver.hands = test::x_hands();
    try {
        play(shell, std::move(driver));
    } catch (const Error& error) { ADD_FAILURE() << error.what(); }
    EXPECT_TRUE(shell.app.quit);
}

TEST(Window, ActionsAnswerRealKeysAndTheRealMouse) { play_by_hand(kActions); }

TEST(Window, PanelsAnswerRealKeysAndTheRealMouse) { play_by_hand(kMore); }

TEST(Window, WithoutADisplaySaysSoAndNamesTheWayOut) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    try {
        open_window({});
        FAIL() << "a window without a display";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("--screenshot"), std::string::npos) << error.what();
    }
}

TEST(Window, AScreenshotNeedsNoDisplay) {
    unsetenv("DISPLAY");
    const Scratch scratch;
    capture::write_capture(testing::synthetic_capture(), scratch.file("synthetic.wlcap"));
    OpenRequest request;
    request.capture = scratch.file("synthetic.wlcap");
    request.screenshot = scratch.file("window.png");
    request.width = kWidth;
    request.height = kHeight;
    EXPECT_EQ(open_window(request), 0);
    EXPECT_EQ(test::read_png(request.screenshot).width, kWidth);
}

}  // namespace
}  // namespace wl::app
