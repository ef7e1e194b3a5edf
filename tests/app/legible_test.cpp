// What is written in a frame is read back: nothing over another text, nothing cut off, on small windows too.
#include "app/shell/legible.h"

#include "app/draw/numbers.h"
#include "app/session/navigate.h"
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
        shell.app.workspace.headline.open = false;  // the panels have its room
        shell.app.session.named.clear();            // as of a kernel that the user named
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
        window.play("click tiles/first-bad\nmove menu/file\n");
        for (int panel = 0; panel < kPanels; ++panel)
            look(std::string("panel ") + panel_title(panel) + "\nwait 1\n", panel_title(panel));
        for (const char* desk : {"2", "3", "4", "1"})
            look(
                std::string("hold Ctrl\nhold Shift\nkey ") + desk + "\nrelease Shift\nrelease Ctrl\nwait 2\n",
                desk
            );
    }
}

void expect_line_in_sight(const Window& window, int line) {
    const ImGuiWindow* source = nullptr;
    for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows)
        if (each->WasActive && each->ScrollbarX &&
            std::string(each->Name).find("Source") != std::string::npos)
            source = each;
    ASSERT_NE(source, nullptr) << line;
    const Control* shown = window.control("source/" + std::to_string(line));
    ASSERT_NE(shown, nullptr) << line;
    EXPECT_LE(shown->high.y, source->InnerRect.Max.y) << line;
    EXPECT_GE(shown->low.y, source->InnerRect.Min.y) << line;
}

TEST(Legible, TheSelectedLineIsAboveTheScrollbarOfALowPanel) {
    for (const Size size : kSizes) {
        Window window(size);
        window.play("panel Source\nmove menu/file\nwait 3\n");
        for (int line = 1; line < 31; line += 3) {
            select_line(window.shell.app.session, window.shell.app.selection, 0, line);
            window.play("wait 2\n");
            expect_line_in_sight(window, line);
        }
    }
}

TEST(Legible, TheSelectedLineStaysInSightWhenThePanelShrinks) {
    Window window({1280, 720});
    window.play("panel Source\nmove menu/file\nwait 3\n");
    for (const int line : {3, 12, 17, 28}) {
        window.play("hold Ctrl\nhold Shift\nkey 2\nrelease Shift\nrelease Ctrl\nwait 4\n");
        select_line(window.shell.app.session, window.shell.app.selection, 0, line);
        window.play("wait 2\nhold Ctrl\nhold Shift\nkey 1\nrelease Shift\nrelease Ctrl\nwait 4\n");
        window.play("panel Source\nwait 3\n");
        expect_line_in_sight(window, line);
    }
}

TEST(Legible, TheWriterOfAnElementIsToldWithItsLineUnderTheMouse) {
    Window window({1280, 720});
    window.play("click tiles/b0/i0/P\nmove heat/got .4 .4\nwait 3\n");
    const App& app = window.shell.app;
    const Element at = app.selection.hovered;
    ASSERT_TRUE(exists(at));
    const capture::Owner owner = app.session.current.data.owner(at.row, at.col);
    const std::string line = place_text(app.session.capture, static_cast<int>(owner.site));
    ASSERT_FALSE(line.empty());
    const auto is = [](const char* text) { return [text](const Written& w) { return w.text == text; }; };
    const auto label = std::ranges::find_if(app.ui.written, is("at"));
    ASSERT_NE(label, app.ui.written.end());
    EXPECT_TRUE(std::ranges::any_of(app.ui.written, [&](const Written& w) {
        return w.layer == label->layer && w.text == line;
    })) << line;
}

// Numbers in the cells, of both heatmaps, in as many characters as there is room for.
TEST(Legible, CellsHoldTheirNumbersWhereTheyAreLargeEnough) {
    Window window({1920, 1080});
    window.play("click tiles/b0/i0/P\nclick heat/got .5 .5\n");
    const App& app = window.shell.app;
    const Element at = app.selection.element;
    const auto shows = [&](double value) {
        for (int room = 2; room <= 12; ++room)
            for (const Written& w : app.ui.written)
                if (w.scrolls && w.text == cell_number(value, room)) return true;
        return false;
    };
    const TileSource& tile = app.session.current.data;
    EXPECT_FALSE(shows(tile.got(at.row, at.col)));
    window.play("key Z\nmove menu/file\nwait 3\n");
    EXPECT_TRUE(shows(tile.got(at.row, at.col)));
    EXPECT_TRUE(shows(tile.reference(at.row, at.col)));
    EXPECT_TRUE(shows(tile.got(at.row + 1, at.col + 1))) << "its neighbours too";
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
