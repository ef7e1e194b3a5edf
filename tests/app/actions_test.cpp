// The table of actions: what the documentation lists, what keys are bound to, and that each action does by
// its key what it does by the mouse.
#include "app/session/actions.h"

#include "app/allowed.h"
#include "app/session/navigate.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/text.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

namespace wl::app {
namespace {

struct Window {
    OffscreenShell shell;
    capture::Capture capture = testing::synthetic_capture();
    Window() : shell(1600, 1000, 1) { begin(); }
    void begin() {
        shell.app.workspace.heatmaps = {};
        shell.app.workspace.finder = {};
        shell.app.ui.zoom = 1;
        load(shell.app.session, shell.app.selection, capture, "synthetic.wlcap");
        for (size_t i = 0; i < capture.tiles.size(); ++i) {
            const capture::Tile& tile = capture.tiles[i];
            const bool first = tile.block == 0 && tile.iteration == 0;
            if (first && capture.probes[static_cast<size_t>(tile.probe)].name == "P")
                select_tile(shell.app.session, shell.app.selection, static_cast<int>(i));
        }
        shell.draw();
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    std::string value(const std::string& key) const { return value_of(shell.app, key); }
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// "Ctrl+Shift+P" as lines of a script.
std::string press(std::string keys) {
    std::string down, up;
    for (const std::string mod : {"Ctrl", "Shift", "Alt"}) {
        if (!keys.starts_with(mod + "+")) continue;
        keys = keys.substr(mod.size() + 1);
        down += "hold " + mod + "\n", up += "release " + mod + "\n";
    }
    if (keys == ".") keys = "Period";
    if (keys == ",") keys = "Comma";
    if (keys == "=") keys = "Equal";
    if (keys == "-") keys = "Minus";
    return down + "key " + keys + "\n" + up;
}

std::string by_mouse(const Action& action) {
    const std::string menu = lower(action.menu);
    return "click menu/" + menu + "\nclick menu/" + menu + "/" + action.id + "\nwait 1\n";
}

TEST(Actions, StandInTheDocumentationAsTheyAre) {
    const std::string page = read_text_file(WL_SOURCE_DIR "/docs/window.md");
    EXPECT_NE(page.find(actions_text()), std::string::npos)
        << "docs/window.md, Everything that can be done, has to hold:\n"
        << actions_text();
}

TEST(Actions, HaveKeysThatExistAndNoTwoTheSame) {
    const Window window;
    std::map<int, std::string> taken;
    std::map<std::string, std::string> controls, ids;
    for (const Action& action : actions()) {
        EXPECT_STRNE(action.tip, "") << action.name;
        EXPECT_TRUE(ids.emplace(std::string(action.menu) + action.id, action.name).second) << action.id;
        const bool shown = action.control[0] != '\0';
        EXPECT_TRUE(!shown || controls.emplace(action.control, action.name).second) << action.control;
        if (action.keys[0] == '\0') continue;
        const int chord = chord_of(action.keys);
        EXPECT_NE(chord, 0) << action.keys;
        EXPECT_TRUE(taken.emplace(chord, action.name).second) << action.keys << " is " << taken[chord];
        EXPECT_EQ(&action_of(action.act), &action);
    }
}

struct Effect {
    Act act;
    const char* before;  // a script
    const char* value;   // of the driver
    const char* becomes;
};

// By its key and by the mouse in its menu.
TEST(Actions, DoTheSameByKeyAndByMouse) {
    Window window;
    const char* earlier = "click menu/compare\nclick menu/compare/earlier\nwait 1\n";
    const Effect effects[] = {
        {Act::relative,        "",                                     "metric",  "relative"             },
        {Act::ratio,           "",                                     "metric",  "ratio"                },
        {Act::ulp,             "",                                     "metric",  "ulp"                  },
        {Act::difference,      "click heat/metric/ulp\n",              "metric",  "difference"           },
        {Act::autofit,         "drag heat/bar/got .985 .4 -150 0\n",   "autofit", "on"                   },
        {Act::cell,            "",                                     "zoom",    "cell"                 },
        {Act::one_to_one,      "",                                     "zoom",    "1:1"                  },
        {Act::fit,             "click heat/zoom/cell\n",               "zoom",    "fit"                  },
        {Act::flip,            "",                                     "flipped", "yes"                  },
        {Act::over_each_other, "",                                     "arrange", "flip"                 },
        {Act::split,           "",                                     "arrange", "split"                },
        {Act::blend,           "",                                     "arrange", "blend"                },
        {Act::beside,          "click heat/arrange/split\n",           "arrange", "side"                 },
        {Act::next_bad,        "click tiles/b0/i0/scores\n",           "tile",    "l"                    },
        {Act::first_bad,       "",                                     "tile",    "l"                    },
        {Act::back,            "click tiles/b0/i0/scores\n",           "tile",    "P"                    },
        {Act::earlier,         "",                                     "b",       "the iteration before" },
        {Act::keep_as_b,       earlier,                                "b",       "attention + 32x, kept"},
        {Act::cheat_sheet,     "",                                     "keys",    "shown"                },
        {Act::larger,          "",                                     "scale",   "1.25"                 },
        {Act::smaller,         "",                                     "scale",   "0.8"                  },
        {Act::usual_size,      "hold Ctrl\nkey Equal\nrelease Ctrl\n", "scale",   "1"                    },
        {Act::palette,         "",                                     "finder",  "open"                 },
    };
    for (const Effect& effect : effects) {
        const Action& action = action_of(effect.act);
        for (const std::string& script : {press(action.keys), by_mouse(action)}) {
            window.begin();
            if (effect.before[0] != '\0') window.play(effect.before);
            EXPECT_NE(window.value(effect.value), effect.becomes) << action.name;
            window.play(script);
            EXPECT_EQ(window.value(effect.value), effect.becomes) << action.name << ":\n" << script;
            if (window.value("finder") == "open") window.play("key Escape\nwait 3\n");
        }
    }
}

TEST(Actions, ThatCannotBeDoneDoNothing) {
    OffscreenShell shell(960, 600, 1);
    for (const Action& action : actions()) {
        if (action.keys[0] == '\0' || action.act == Act::quit) continue;
        play(shell, parse_script(press(action.keys) + "key Escape\n", action.name));
        EXPECT_FALSE(shell.app.session.message.bad) << action.name << ": " << shell.app.session.message.text;
    }
}

TEST(Actions, TheFinderGoesToAnythingByItsWords) {
    Window window;
    window.play("hold Ctrl\nkey P\nrelease Ctrl\nwait 3\ntype ulp <enter>\nwait 3\nexpect metric ulp\n");
    window.play(
        "hold Ctrl\nkey P\nrelease Ctrl\nwait 3\ntype scores iteration 3 <enter>\nwait 3\n"
        "expect tile scores\nexpect iteration 3\n"
    );
    window.play(
        "click menu/palette\nwait 3\ntype attention.cu:31 <enter>\nwait 3\nexpect line attention.cu:31\n"
    );
    window.play(
        "hold Ctrl\nkey P\nrelease Ctrl\nwait 3\ntype 32x\nwait 2\nclick palette/0\nwait 3\nexpect finder "
        "closed\n"
    );
}

TEST(Actions, BackAndForwardGoThroughTheSelections) {
    Window window;
    window.play(R"(
        click tiles/b0/i0/scores
        click heat/got .5 .5
        click tiles/b0/i0/m
        expect tile m
        click menu/back
        expect tile scores
        click menu/back
        click menu/back
        expect tile P
        click menu/forward
        expect tile scores
        click tiles/b0/i0/l
        click menu/forward
        expect tile l)");
}

TEST(Actions, TheSourceIsSearched) {
    Window window;
    window.play("hold Ctrl\nkey F\nrelease Ctrl\nwait 3\ntype WL_TILE <enter>\nwait 3\n");
    const std::string first = window.value("line");
    window.play("key F3\nwait 3\n");
    const std::string second = window.value("line");
    EXPECT_NE(first, second);
    window.play("hold Shift\nkey F3\nrelease Shift\nwait 3\n");
    EXPECT_EQ(window.value("line"), first);
    window.play("click source/find/next\nwait 3\n");
    EXPECT_EQ(window.value("line"), second);
}

TEST(Actions, SaveAndExportWriteFilesThatAreRead) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("wl_actions_test_" + std::to_string(getpid()));
    fs::create_directories(folder);
    Window window;
    const auto answer = [&](const char* key, const std::string& path) {
        window.play(
            std::string("hold Ctrl\nkey ") + key +
            "\nrelease Ctrl\nwait 3\nhold Ctrl\nkey A\nrelease Ctrl\ntype " + path +
            " <enter>\nwait 3\nuntil waiting no\n"
        );
        EXPECT_FALSE(window.shell.app.session.message.bad) << window.value("message");
    };
    for (const char* suffix : {".png", ".svg", ".csv", ".npy"}) {
        const std::string path = (folder / ("tile" + std::string(suffix))).string();
        answer("E", path);
        EXPECT_GT(fs::file_size(path), 1000U) << path;
    }
    EXPECT_EQ(read_text_file((folder / "tile.csv").string()).find('\n') != std::string::npos, true);
    answer("S", (folder / "kept.wlcap").string());
    window.shell.app.write_report = [](const capture::Capture& c, const std::string& file) {
        std::ofstream(file) << c.launch.kernel;
    };
    window.play("click menu/file\nclick menu/file/report\nwait 3\nhold Ctrl\nkey A\nrelease Ctrl\n");
    window.play("type " + (folder / "report.html").string() + " <enter>\nwait 3\nuntil waiting no\n");
    EXPECT_EQ(read_text_file((folder / "report.html").string()), "attention");
    answer("O", (folder / "tile.npy").string());
    EXPECT_EQ(window.value("kernel"), "tile");
    EXPECT_EQ(window.shell.app.session.current.data.rows, 64);
    answer("O", (folder / "kept.wlcap").string());
    EXPECT_EQ(window.value("kernel"), "attention");
    EXPECT_EQ(window.shell.app.session.settings.recent.size(), 2U);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace wl::app
