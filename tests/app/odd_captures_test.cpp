// Captures at the edge: nothing, one element, a file that was cut short. Every workspace and every way of
// looking at them is gone through by keys; what cannot be shown says so, and what was shown stays.
#include "app/session/edit/open.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::app {
namespace {

// One output of one element.
capture::Capture tiny(float value) {
    capture::Capture c = testing::synthetic_capture();
    capture::Tile tile = c.tiles.front();
    c.probes[static_cast<size_t>(tile.probe)].dtype = DType::f32;
    tile.block = capture::kWholeLaunch, tile.rows = tile.cols = 1;
    tile.reference = tile.bound = tile.owner = capture::kNoBlob;
    tile.values = add_blob(c.blobs, std::vector<float>{value});
    c.tiles.assign(1, tile);
    c.outputs.clear(), c.findings.clear(), c.records.clear();
    return c;
}

std::string chord(bool ctrl, bool shift, const std::string& key) {
    std::string out;
    if (ctrl) out += "hold Ctrl\n";
    if (shift) out += "hold Shift\n";
    out.append("key ").append(key).append("\n");
    if (shift) out += "release Shift\n";
    if (ctrl) out += "release Ctrl\n";
    return out;
}

void go_through(OffscreenShell& shell) {
    std::string script;
    for (const char* desk : {"2", "3", "4", "1"}) script += chord(true, true, desk) + "wait 4\n";
    for (const char* key : {"Z", "F", "1", "2", "3", "4", "L", "U", "N", "B", "E", "V", "X", "M"})
        script += chord(false, false, key);
    for (const char* arrange : {"2", "3", "4", "1"}) script += chord(true, false, arrange);
    script += chord(false, false, "F1") + "key Escape\nmove menu/file\nwait 2\n";
    play(shell, parse_script(script, "script"));
}

TEST(OddCaptures, OfOneElementAreShownInEveryWay) {
    OffscreenShell shell(960, 600, 1);
    for (const float value : {2.5F, std::nanf(""), INFINITY}) {
        load(shell.app.session, shell.app.selection, tiny(value), "tiny.wlcap");
        go_through(shell);
        EXPECT_FALSE(shell.app.session.message.bad) << shell.app.session.message.text;
        EXPECT_EQ(value_of(shell.app, "selection"), "0,0");
        for (const Control& control : shell.app.ui.controls) EXPECT_LE(control.high.x, 961) << control.name;
    }
}

TEST(OddCaptures, OfNothingAreShownInEveryWay) {
    OffscreenShell shell(960, 600, 1);
    load(shell.app.session, shell.app.selection, capture::Capture{}, "empty.wlcap");
    go_through(shell);
    EXPECT_EQ(value_of(shell.app, "tile"), "none");
    EXPECT_FALSE(shell.app.session.message.bad) << shell.app.session.message.text;
}

TEST(OddCaptures, AFileThatWasCutShortIsAMessageAndWhatWasShownStays) {
    OffscreenShell shell(960, 600, 1);
    Session& session = shell.app.session;
    const std::string file =
        (std::filesystem::temp_directory_path() / ("wl_odd_" + std::to_string(getpid()) + ".wlcap")).string();
    capture::write_capture(testing::synthetic_capture(), file);
    const auto whole = std::filesystem::file_size(file);
    open_anything(session, shell.app.selection, file);
    const uint64_t shown = session.captures;
    for (const uintmax_t left : {whole - 4096, whole / 2, uintmax_t{50}, uintmax_t{0}}) {
        std::filesystem::resize_file(file, left);
        open_anything(session, shell.app.selection, file);
        play(shell, parse_script("wait 2\nuntil waiting no\nwait 2\n", "script"));
        EXPECT_TRUE(session.message.bad) << left;
        EXPECT_NE(session.message.text.find(file), std::string::npos) << session.message.text;
        EXPECT_EQ(session.captures, shown) << left;
        EXPECT_EQ(value_of(shell.app, "tile"), "l");
    }
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace wl::app
