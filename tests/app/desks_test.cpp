// Workspaces: what each has in front, that it stays as the user leaves it, and the way back from a move by
// hand.
#include "app/desks.h"

#include "app/draw/ui.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

namespace wl::app {
namespace {

struct Window {
    OffscreenShell shell;
    Window(int width, int height) : shell(width, height, 1) {
        load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
        shell.app.workspace.headline.open = false;  // the panels have its room
        play("wait 4\n");
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    void choose(const char* number) {
        play(std::string("hold Ctrl\nhold Shift\nkey ") + number + "\nrelease Shift\nrelease Ctrl\nwait 6\n");
    }
    void press(const char* key) { play(std::string("hold Ctrl\nkey ") + key + "\nrelease Ctrl\nwait 4\n"); }
    // The border at the right of Tiles.
    void drag_border(float by) {
        ImGuiIO& io = ImGui::GetIO();
        const ImGuiWindow* tiles = ImGui::FindWindowByName("Tiles");
        const ImVec2 at(tiles->Pos.x + tiles->Size.x + 0.5F, tiles->Pos.y + tiles->Size.y / 2);
        const auto frame = [&](ImVec2 mouse, bool down) {
            io.AddMousePosEvent(mouse.x, mouse.y);
            io.AddMouseButtonEvent(0, down);
            for (int i = 0; i < 3; ++i) shell.draw();
        };
        frame(at, false);
        frame(at, true);
        frame({at.x + by, at.y}, true);
        frame({at.x + by, at.y}, false);
        settle(shell);
    }
};

bool in_front(const char* title) {
    const ImGuiWindow* window = ImGui::FindWindowByName(title);
    return window != nullptr && window->DockTabIsVisible;
}
float tiles_width() { return ImGui::FindWindowByName("Tiles")->Size.x; }

TEST(Workspaces, HaveWhatTheyAreForInFront) {
    for (const auto& [width, height] : {
             std::pair{960,  600 },
             std::pair{1280, 720 },
             std::pair{1920, 1080}
    }) {
        Window window(width, height);
        EXPECT_TRUE(in_front("Heatmaps")) << width;
        window.choose("2");
        for (const char* title : {"Lanes", "Source", "Shared memory", "Timeline"})
            EXPECT_TRUE(in_front(title)) << title << " " << width;
        window.choose("3");
        EXPECT_TRUE(in_front("Fragments")) << width;
        EXPECT_FALSE(in_front("Shared memory")) << "its tab is behind, " << width;
        window.choose("4");
        EXPECT_TRUE(in_front("Learn")) << width;
        EXPECT_TRUE(in_front("Source")) << width;
        window.choose("1");
        EXPECT_TRUE(in_front("Heatmaps")) << width;
        for (const Control& control : window.shell.app.ui.controls)
            EXPECT_LE(control.high.x, static_cast<float>(width) + 1) << control.name;
    }
}

// Of what lies between the bars.
float share_of(const std::vector<const char*>& titles, const Window& window) {
    const Workspace& w = window.shell.app.workspace;
    float task = 0;
    for (const char* title : titles) {
        const ImVec2 size = ImGui::FindWindowByName(title)->Size;
        task += size.x * size.y;
    }
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    return task /
        (screen.x * (screen.y - px(size::kTopBar + size::kStatusBar) - w.run.height - w.headline.height));
}

TEST(Workspaces, GiveTheTaskMostOfTheWindow) {
    for (const auto& [width, height] : {
             std::pair{1280, 720 },
             std::pair{1920, 1080},
             std::pair{2560, 1440}
    }) {
        Window window(width, height);
        window.choose("2");
        EXPECT_GE(share_of({"Source", "Lanes", "Shared memory"}, window), 0.6F) << width;
        window.choose("3");
        EXPECT_GE(share_of({"Fragments"}, window), 0.6F) << width;
        window.choose("4");
        EXPECT_GE(share_of({"Learn", "Source"}, window), 0.6F) << width;
        EXPECT_GE(ImGui::FindWindowByName("Learn")->Size.x, 232 + 12 + 640 + 24)
            << "the text is 640 wide, " << width;
    }
}

TEST(Workspaces, WhatIsFoldedOpensUnderTheMouseAndByAClick) {
    Window window(1280, 720);
    window.choose("2");
    window.play("expect open-strip none\n move tab/Element\n wait 3\n expect open-strip Element\n");
    EXPECT_NE(
        std::ranges::find(window.shell.app.ui.controls, "element/history", &Control::name),
        window.shell.app.ui.controls.end()
    );
    window.play("move menu/file\n wait 3\n expect open-strip none\n");
    window.play(
        "click tab/Tiles\n move menu/file\n wait 3\n expect open-strip Tiles\n click tiles/first-bad\n wait "
        "2\n expect tile l\n"
    );
    window.play("click tab/Tiles\n wait 3\n move menu/file\n wait 2\n expect open-strip none\n");
    window.play(
        "panel Ownership\n wait 3\n expect open-strip Ownership\n key Escape\n wait 3\n expect open-strip "
        "none\n"
    );
}

TEST(Workspaces, ATitlePressedTwiceIsAloneAndGoesBackAgain) {
    Window window(1280, 720);
    const float width = ImGui::FindWindowByName("Heatmaps")->Size.x;
    window.play("double tab/Heatmaps\n wait 4\n expect maximised Heatmaps\n");
    const auto got = [&] {
        for (const Control& c : window.shell.app.ui.controls)
            if (c.name == "heat/got") return c.high.x - c.low.x;
        return 0.0F;
    };
    EXPECT_GT(got(), 350) << "a third of the window";
    for (const Control& c : window.shell.app.ui.controls)
        EXPECT_FALSE(c.name.starts_with("tiles/")) << c.name;
    window.play("hold Ctrl\n key M\n release Ctrl\n wait 4\n expect maximised none\n");
    EXPECT_EQ(ImGui::FindWindowByName("Heatmaps")->Size.x, width);
    EXPECT_EQ(window.shell.app.workspace.desks.kept[0], "") << "nothing was docked anew";
}

TEST(Workspaces, F11ShowsOnePanelInLargeTypeWhereNobodySteps) {
    Window window(1280, 720);
    window.choose("3");
    const float small = window.shell.app.ui.scale;
    window.play("key F11\n wait 6\n expect projector on\n expect maximised Fragments\n");
    EXPECT_GT(window.shell.app.ui.scale, small * 1.4F);
    window.play("key Escape\n wait 6\n expect projector off\n expect maximised none\n");
    EXPECT_EQ(window.shell.app.ui.scale, small);
    window.choose("2");
    window.play("key F11\n wait 4\n expect projector off\n");
}

TEST(Workspaces, AMoveByHandIsTakenBackAndMadeAgain) {
    Window window(1280, 720);
    const float built = tiles_width();
    window.drag_border(90);
    EXPECT_NEAR(tiles_width(), built + 90, 3);
    window.press("Z");
    EXPECT_NEAR(tiles_width(), built, 3);
    window.play("hold Ctrl\nhold Shift\nkey Z\nrelease Shift\nrelease Ctrl\nwait 4\n");
    EXPECT_NEAR(tiles_width(), built + 90, 3);
    window.play("click tiles/b0/i0/P\nclick heat/got .5 .5\n");
    window.press("Z");
    EXPECT_NEAR(tiles_width(), built, 3) << "clicks that move no panel are no steps of their own";
}

TEST(Workspaces, StayAsTheUserLeavesThem) {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("wl_desks_test_" + std::to_string(getpid()))).string();
    float moved = 0;
    {
        Window window(1280, 720);
        read_desks(window.shell.app.workspace.desks, folder + "/window.conf");
        const float built = tiles_width();
        window.drag_border(120);
        moved = tiles_width();
        EXPECT_NEAR(moved, built + 120, 3);
        window.choose("2");
        EXPECT_FALSE(is_by_hand(window.shell.app.workspace.desks)) << "another workspace is not moved";
        window.choose("1");
        EXPECT_NEAR(tiles_width(), moved, 3);
        EXPECT_TRUE(in_front("Heatmaps"));
    }
    Window later(1280, 720);
    read_desks(later.shell.app.workspace.desks, folder + "/window.conf");
    later.play("wait 4\n");
    EXPECT_NEAR(tiles_width(), moved, 3) << "the next start has it too";
    later.press("0");
    EXPECT_LT(tiles_width(), moved - 60) << "the default layout is built anew";
    Desks read;
    read_desks(read, folder + "/window.conf");
    EXPECT_FALSE(is_by_hand(read));
    std::filesystem::remove_all(folder);
}

TEST(Scale, IsChangedWhileTheWindowRunsAndKept) {
    const std::string file =
        (std::filesystem::temp_directory_path() / ("wl_scale_" + std::to_string(getpid()) + ".conf"))
            .string();
    Window window(1920, 1200);
    Settings& settings = window.shell.app.session.settings;
    settings = read_settings(file);
    const auto bar = [] { return ImGui::FindWindowByName("##status")->Size.y; };
    const float once = bar();
    for (int i = 0; i < 4; ++i) window.press("Equal");
    EXPECT_NEAR(bar(), 2 * once, 1);
    for (const Control& control : window.shell.app.ui.controls)
        EXPECT_LE(control.high.x, 1921) << control.name;
    EXPECT_TRUE(in_front("Heatmaps"));
    window.play("hold Ctrl\nhold Shift\nkey L\nrelease Shift\nrelease Ctrl\nwait 2\n");
    const Settings later = read_settings(file);
    EXPECT_EQ(later.zoom, 2.0F);
    EXPECT_TRUE(later.light);
    for (int i = 0; i < 9; ++i) window.press("Equal");
    EXPECT_EQ(window.shell.app.ui.zoom, 3.0F) << "no further";
    window.play("hold Ctrl\nhold Shift\nkey 0\nrelease Shift\nrelease Ctrl\nwait 4\n");
    EXPECT_NEAR(bar(), once, 0.5F);
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace wl::app
