// The real window with a capture, for tests that use it by hand: real X events, and what is seen of them.
#pragma once

#include "app/allowed.h"
#include "app/session/edit/rerun.h"
#include "app/session/navigate.h"
#include "tests/support/desktop.h"

#include <imgui_internal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>

namespace wl::app {

using test::Desktop;

// Two faults, so that there are wrong tiles, and races that can be stepped to.
inline const std::vector<std::string> kRun = {
    "run", "v2c_3", "--fault", "32x", "--fault", "sync", "--set", "B=1", "--set", "H=1", "--set", "S=192"};

struct Bench {
    Desktop desktop{1280, 720};
    App& app = desktop.shell.app;
    Session& session = desktop.shell.app.session;
    Selection& selection = desktop.shell.app.selection;
    capture::Capture recorded;
    Selection start;
    std::string path;
    float border = 0;  // of Tiles, as it is built

    void begin() {
        path = desktop.folder.path + "/shown.wlcap";
        recorded = session.capture;
        session.settings.editor = "touch " + edited() + " {file}";
        reset();
        frames(6);
        border = tiles_width();
    }
    std::string edited() const { return desktop.folder.path + "/edited"; }
    static float tiles_width() { return ImGui::FindWindowByName("Tiles")->Size.x; }

    // The capture as it was loaded, at P of the block's second iteration, every choice as it is at the start.
    // Where only the instant was moved the worker that knows the block stays.
    void reset(bool only_instant = false) {
        if (only_instant) {
            selection = start;
            session.breakpoints.clear();
            test::point_at({600, 8});
            return;
        }
        ImGui::ClosePopupsOverWindow(nullptr, false);
        app.workspace.heatmaps = {};
        app.workspace.finder = {};
        app.workspace.element = {};
        app.workspace.source.find = {};
        app.workspace.source.ptx.shown = false;
        app.workspace.at_home = app.quit = false;
        app.workspace.maximised.clear(), app.workspace.projector = false;
        app.ui.zoom = 1;
        if (app.ui.light) app.ui.light = false, apply_style(app.ui.scale);
        if (is_by_hand(app.workspace.desks))
            forget_layout(app.workspace.desks), app.workspace.laid_out = false;
        if (app.workspace.desks.shown != Desk::compare) show_desk(app.workspace, Desk::compare);
        session.watched.on = true;
        session.breakpoints.clear();
        std::filesystem::remove(edited());
        if (session.worker) cancel(*session.worker);
        until("worker", "none");
        drop_other(session);  // else it would stay B of the same kernel
        load(session, selection, recorded, path);
        select("P", 0, 1);
        select_element(session, selection, {5, 9});
        start = selection;
        test::point_at({600, 8});  // away from the timeline, over which W and S zoom
        frames(2);
    }
    void select(const std::string& name, int64_t block, int iteration) {
        for (size_t i = 0; i < session.capture.tiles.size(); ++i) {
            const capture::Tile& tile = session.capture.tiles[i];
            if (tile.block == block && tile.iteration == iteration &&
                session.capture.probes[static_cast<size_t>(tile.probe)].name == name)
                return select_tile(session, selection, static_cast<int>(i));
        }
        FAIL() << "there is no tile " << name;
    }

    // ---- real events

    void frames(int count) {
        for (int i = 0; i < count; ++i) desktop.shell.draw(nullptr);
    }
    void keys(const std::string& chord) {
        test::press_chord(chord_of(chord));
        frames(5);
    }
    void click(const std::string& name) {
        const Control at = desktop.control(name);
        test::point_at({(at.low.x + at.high.x) / 2, (at.low.y + at.high.y) / 2});
        frames(2);
        test::click_there();
        frames(4);
    }
    void line_menu() {
        const std::string line = value("line");
        const Control at = desktop.control("source/" + line.substr(line.rfind(':') + 1));
        test::point_at({(at.low.x + at.high.x) / 2, (at.low.y + at.high.y) / 2});
        frames(2);
        test::click_there(3);
        frames(4);
    }
    // Down the panel Element until the control is inside.
    void scroll_to(const std::string& name) {
        const ImGuiWindow* panel = ImGui::FindWindowByName("Element");
        const app::Hands hands = test::x_hands();
        hands.move({panel->Pos.x + panel->Size.x / 2, panel->Pos.y + panel->Size.y / 2}), frames(2);
        for (int i = 0; i < 20 && desktop.control(name).high.y > panel->Pos.y + panel->Size.y; ++i)
            hands.wheel(-1), frames(3);
    }
    void drag_border() {
        const ImGuiWindow* tiles = ImGui::FindWindowByName("Tiles");
        const ImVec2 at(tiles->Pos.x + tiles->Size.x + 0.5F, tiles->Pos.y + tiles->Size.y / 2);
        const app::Hands hands = test::x_hands();
        hands.move(at), frames(3);
        hands.button(true), frames(3);
        hands.move({at.x + 60, at.y}), frames(3);
        hands.button(false), frames(8);
    }

    // ---- what is seen

    std::string value(const std::string& key) const {
        if (key == "file") return std::filesystem::exists(edited()) ? "opened" : "not";
        if (key == "border") return std::abs(tiles_width() - border) < 4 ? "as built" : "moved";
        if (key == "writes") return app.workspace.element.lists_writes ? "listed" : "not";
        if (key == "quit") return app.quit ? "yes" : "no";
        if (key == "typing") return ImGui::GetIO().WantTextInput ? "yes" : "no";
        if (key == "recorded") return std::to_string(session.capture.records.size());
        return value_of(app, key);
    }
    // Frames until it holds, at most half a minute.
    bool until_true(const std::function<bool()>& holds) {
        const auto begin = std::chrono::steady_clock::now();
        while (!holds()) {
            if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(30)) return false;
            frames(1);
        }
        return true;
    }
    bool until(const std::string& key, const std::string& wanted) {
        return until_true([&] { return value(key) == wanted; });
    }
};

}  // namespace wl::app
