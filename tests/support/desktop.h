// The window on a virtual display, used by real X events.
#pragma once

#include "app/session/session.h"
#include "app/shell/shell_window.h"
#include "instrumentation/capture/file.h"
#include "tests/support/display.h"
#include "tests/support/png.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace wl::test {

struct Desktop {
    VirtualDisplay display;
    TemporaryFolder folder;
    app::WindowShell shell;
    Desktop(int width, int height) : display(width, height), shell(width, height, 1) {
        shell.app.session.program = WL_PROGRAM;
    }
    // Records a kernel with the command line's words and shows its capture.
    void show(std::vector<std::string> words) {
        const std::string path = folder.path + "/shown.wlcap";
        words.insert(words.end(), {"-o", path, "--quiet"});
        const Said said = warplens(words);
        ASSERT_TRUE(said.status == 0 || said.status == 1 || said.status == 3) << said.err;
        app::load(shell.app.session, shell.app.selection, capture::read_capture(path), path);
    }
    void play(const std::string& script) {
        app::Driver driver = app::parse_script(script, "script");
        driver.hands = x_hands();
        app::play(shell, std::move(driver));
    }
    app::Image pixels() {
        const std::string path = folder.path + "/shot.png";
        play("shot " + path + "\n");
        return read_png(path);
    }
    const app::Control& control(const std::string& name) {
        for (const app::Control& each : shell.app.ui.controls)
            if (each.name == name) return each;
        throw std::runtime_error(name + " is not on the screen");
    }
    bool shows(const std::string& name) {
        for (const app::Control& each : shell.app.ui.controls)
            if (each.name == name) return true;
        return false;
    }
    const app::LaneRow& row(const std::string& expression) {
        for (const app::LaneRow& each : shell.app.session.lanes.report->rows)
            if (each.expression == expression) return each;
        throw std::runtime_error(expression + " is no row");
    }
    uint64_t time() const { return shell.app.session.lanes.report->time; }
};

inline ImU32 colour_at(const app::Image& image, float x, float y) {
    const auto at = static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x);
    const uint8_t* pixel = image.rgb.data() + 3 * at;
    return IM_COL32(pixel[0], pixel[1], pixel[2], 255);
}

}  // namespace wl::test
