// What is written in a frame is read back: nothing over another text, nothing cut off, on small windows too.
#include "app/shell/legible.h"

#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "tests/support/synthetic_capture.h"

#include <imgui_internal.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace wl::app {
namespace {

Written text_at(const char* text, float left, float top, float right, float bottom) {
    return {
        text, {left,  top   },
         {right, bottom},
         {0,     0     },
         {100,   100   },
         false, nullptr
    };
}

TEST(Legible, WhatLiesOverAnotherTextOrIsCutIsTold) {
    const Written first = text_at("first", 10, 10, 40, 24);
    EXPECT_TRUE(illegible({first, text_at("beside", 41, 10, 70, 24)}).empty());
    EXPECT_TRUE(illegible({first, text_at("below", 10, 22, 40, 36)}).empty()) << "lines may touch";
    EXPECT_EQ(
        illegible({first, text_at("over", 35, 12, 70, 26)}),
        (std::vector<std::string>{"'over' lies over 'first'"})
    );
    EXPECT_EQ(illegible({text_at("cut", 80, 10, 110, 24)}), (std::vector<std::string>{"'cut' is cut off"}));
    EXPECT_TRUE(illegible({text_at("out of sight", 200, 10, 230, 24)}).empty());
    Written scrolled = text_at("scrolled", 80, 10, 110, 24);
    scrolled.scrolls = true;
    EXPECT_TRUE(illegible({scrolled}).empty());
    Written popup = text_at("popup", 12, 12, 38, 26);
    popup.layer = &popup;
    EXPECT_TRUE(illegible({first, popup}).empty()) << "what is drawn above it covers it";
}

struct Size {
    int width, height;
};
constexpr Size kSizes[] = {
    {960,  600 },
    {1280, 720 },
    {1920, 1080}
};

struct Window {
    OffscreenShell shell;
    explicit Window(Size size) : shell(size.width, size.height, 1) {
        load(shell.app.session, shell.app.selection, testing::synthetic_capture(), "synthetic.wlcap");
        shell.app.session.program = "/bin/false";
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    const Control* control(const std::string& name) const {
        const auto& all = shell.app.ui.controls;
        const auto at = std::ranges::find_if(all, [&](const Control& c) { return c.name == name; });
        return at != all.end() ? &*at : nullptr;
    }
};

TEST(Legible, EveryPanelCanBeReadOnWindowsOfEverySize) {
    for (const Size size : kSizes) {
        Window window(size);
        const auto look = [&](const std::string& script, const char* what) {
            window.play(script);
            EXPECT_EQ(value_of(window.shell.app, "legible"), "yes") << size.width << ", " << what;
            EXPECT_GT(window.shell.app.ui.written.size(), 50U);
        };
        window.play("click tiles/b0/i0/l\nmove menu/file\n");
        for (int panel = 0; panel < kPanels; ++panel)
            look(std::string("panel ") + panel_title(panel) + "\nwait 1\n", panel_title(panel));
        for (const char* desk : {"2", "3", "4", "1"})
            look(
                std::string("hold Ctrl\nhold Shift\nkey ") + desk + "\nrelease Shift\nrelease Ctrl\nwait 2\n",
                desk
            );
    }
}

TEST(Legible, TheSelectedLineIsAboveTheScrollbarOfALowPanel) {
    for (const Size size : kSizes) {
        Window window(size);
        window.play("panel Source\nmove menu/file\nwait 3\n");
        const ImGuiWindow* source = nullptr;
        for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows)
            if (each->WasActive && each->ScrollbarX &&
                std::string(each->Name).find("Source") != std::string::npos)
                source = each;
        ASSERT_NE(source, nullptr) << size.width;
        for (int line = 1; line < 31; line += 3) {
            select_line(window.shell.app.session, window.shell.app.selection, 0, line);
            window.play("wait 2\n");
            const Control* shown = window.control("source/" + std::to_string(line));
            ASSERT_NE(shown, nullptr) << line;
            EXPECT_LE(shown->high.y, source->InnerRect.Max.y) << line << " at " << size.width;
            EXPECT_GE(shown->low.y, source->InnerRect.Min.y) << line << " at " << size.width;
        }
    }
}

TEST(Legible, FiguresOfARectangleAreNotUnderATooltip) {
    Window window({1280, 720});
    const auto has_tooltip = [] {
        const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
        return tooltip != nullptr && tooltip->WasActive;
    };
    window.play("click tiles/b0/i0/P\nmove heat/got .4 .4\nwait 3\n");
    EXPECT_TRUE(has_tooltip());
    window.play("hold Shift\ndrag heat/got .2 .2 40 30\nrelease Shift\nmove heat/got .4 .4\nwait 3\n");
    EXPECT_FALSE(has_tooltip());
    EXPECT_NE(value_of(window.shell.app, "hovered"), "-1,-1");
}

}  // namespace
}  // namespace wl::app
