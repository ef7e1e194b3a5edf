// Captures at the edge: nothing, one element, a file that was cut short. Every workspace and every way of
// looking at them is gone through by keys; what cannot be shown says so, and what was shown stays.
#include "app/session/edit/open.h"
#include "app/session/navigate.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>
#include <utility>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

struct File {
    std::string path;
    explicit File(const std::string& name) :
        path((fs::temp_directory_path() / ("wl_odd_" + name + std::to_string(getpid()) + ".wlcap")).string()
        ) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { fs::remove(path); }
};

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

// Every panel in front, once: all that it writes can be read, and lies inside the window.
void look_at_every_panel(OffscreenShell& shell, const std::string& what) {
    for (int panel = 0; panel < kPanels; ++panel) {
        const std::string title = panel_title(panel);
        play(shell, parse_script("panel " + title + "\nmove menu/file\nwait 1\n", "script"));
        EXPECT_EQ(value_of(shell.app, "legible"), "yes") << what << ", " << title;
        EXPECT_FALSE(shell.app.session.message.bad) << shell.app.session.message.text;
        for (const Control& control : shell.app.ui.controls)
            EXPECT_LE(control.high.x, 961) << control.name << " of " << what << ", " << title;
    }
}

// All elements of all tiles.
capture::Capture filled(float value) {
    capture::Capture c = testing::synthetic_capture();
    for (capture::Tile& tile : c.tiles) {
        if (tile.values == capture::kNoBlob) continue;
        const auto elements = static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols);
        tile.values = add_blob(c.blobs, std::vector<float>(elements, value));
        tile.verdict = capture::Verdict::bad;
        tile.nan = std::isnan(value) ? static_cast<int64_t>(elements) : 0;
    }
    return c;
}

capture::Capture huge() {
    capture::Capture c = tiny(1);
    capture::Tile& tile = c.tiles.front();
    tile.rows = 1024, tile.cols = tile.ld = 16384;
    std::vector<float> values(static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols), 1e30F);
    for (size_t i = 0; i < values.size(); i += 3) values[i] = -1e-30F;
    tile.values = add_blob(c.blobs, values);
    return c;
}

TEST(OddCaptures, AreShownByEveryPanel) {
    capture::Capture unrecorded = testing::synthetic_capture();
    unrecorded.records.clear(), unrecorded.sites.clear(), unrecorded.sources.clear();
    for (capture::Probe& probe : unrecorded.probes) probe.site = -1;
    for (capture::Tile& tile : unrecorded.tiles)
        tile.values = tile.reference = tile.bound = tile.owner = capture::kNoBlob;
    const std::pair<const char*, capture::Capture> odd[] = {
        {"nothing",           capture::Capture{}   },
        {"one element",       tiny(2.5F)           },
        {"one NaN",           tiny(std::nanf(""))  },
        {"NaN everywhere",    filled(std::nanf(""))},
        {"-Inf everywhere",   filled(-INFINITY)    },
        {"the largest float", filled(3.4028235e38F)},
        {"16384 columns",     huge()               },
        {"verdicts alone",    std::move(unrecorded)},
    };
    OffscreenShell shell(960, 600, 1);
    for (const auto& [what, capture] : odd) {
        load(shell.app.session, shell.app.selection, capture, "odd.wlcap");
        play(shell, parse_script("wait 2\nuntil waiting no\n", "script"));
        look_at_every_panel(shell, what);
    }
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

// A copy over a network: the file is there before it is whole.
TEST(OddCaptures, AFileThatGrowsIsAMessageUntilItIsWhole) {
    OffscreenShell shell(960, 600, 1);
    Session& session = shell.app.session;
    const File whole("whole"), growing("growing");
    capture::write_capture(testing::synthetic_capture(), whole.path);
    load(session, shell.app.selection, tiny(2.5F), "before.wlcap");
    const std::string bytes = read_text_file(whole.path);
    std::ofstream out(growing.path, std::ios::binary);
    size_t there = 0;
    for (const size_t to : {size_t{0}, size_t{1}, size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
        out.write(bytes.data() + there, static_cast<std::streamsize>(to - there)).flush();
        there = to;
        open_anything(session, shell.app.selection, growing.path);
        play(shell, parse_script("until waiting no\nwait 1\n", "script"));
        EXPECT_TRUE(session.message.bad) << to;
        EXPECT_NE(session.message.text.find(growing.path), std::string::npos) << session.message.text;
        EXPECT_EQ(session.captures, 1U) << "what was shown stays, at " << to;
        EXPECT_EQ(session.current.got.hi, 2.5F);
    }
    out.write(bytes.data() + there, static_cast<std::streamsize>(bytes.size() - there)).flush();
    open_anything(session, shell.app.selection, growing.path);
    play(shell, parse_script("until waiting no\nwait 1\nexpect tile l\n", "script"));
    EXPECT_EQ(session.captures, 2U);
    EXPECT_FALSE(session.message.bad) << session.message.text;
    look_at_every_panel(shell, "a file that has grown");
}

// Four tiles that are read when they are looked at, each of a value of its own.
capture::Capture four_tiles() {
    capture::Capture c = tiny(0);
    const capture::Tile tile = c.tiles.front();
    c.tiles.clear();
    for (int i = 0; i < 4; ++i) {
        c.tiles.push_back(tile);
        c.tiles.back().rows = c.tiles.back().cols = c.tiles.back().ld = 1100, c.tiles.back().iteration = i;
        c.tiles.back().values =
            add_blob(c.blobs, std::vector<float>(size_t{1100} * 1100, static_cast<float>(i + 1)));
    }
    return c;
}

// The file of a big capture is read while it is shown; meanwhile anything may happen to it.
TEST(OddCaptures, AFileThatChangesWhileItIsOpenIsReadRightOrIsAMessage) {
    OffscreenShell shell(960, 600, 1);
    Session& session = shell.app.session;
    const File file("changing"), other("other");
    capture::write_capture(four_tiles(), file.path);
    ASSERT_TRUE(is_big_file(file.path));
    const auto see = [&](int tile) {
        select_tile(session, shell.app.selection, tile);
        play(shell, parse_script("wait 1\nuntil waiting no\nwait 1\n", "script"));
    };
    const auto open = [&] {
        open_anything(session, shell.app.selection, file.path);
        play(shell, parse_script("wait 1\nuntil waiting no\nwait 1\n", "script"));
    };
    open();
    see(0);
    EXPECT_EQ(session.current.got.hi, 1);
    std::ofstream(file.path, std::ios::binary | std::ios::app) << std::string(100'000, 'x');
    see(1);
    EXPECT_EQ(session.current.got.hi, 2) << "what was added behind it is no part of it";
    capture::write_capture(tiny(7), other.path);
    fs::rename(other.path, file.path);
    see(2);
    EXPECT_EQ(session.current.got.hi, 3) << "what took its name is another file";
    capture::write_capture(four_tiles(), file.path);
    open();
    see(0);
    fs::resize_file(file.path, fs::file_size(file.path) / 8);
    see(2);
    EXPECT_TRUE(session.message.bad);
    EXPECT_NE(session.message.text.find("is damaged"), std::string::npos) << session.message.text;
    EXPECT_FALSE(has_values(session.current));
    see(0);
    EXPECT_EQ(session.current.got.hi, 1) << "what was read is there";
}

}  // namespace
}  // namespace wl::app
