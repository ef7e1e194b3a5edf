// Prepare, draw, carry out what the panels asked for.
#include "app/app.h"

#include "app/draw/export/tile_export.h"
#include "app/draw/look.h"
#include "app/perform.h"
#include "app/session/clock.h"
#include "app/session/compare/find.h"
#include "app/session/edit/editor.h"
#include "app/session/edit/fix.h"
#include "app/session/edit/keep.h"
#include "app/session/edit/open.h"
#include "app/session/edit/rerun.h"
#include "app/session/questions.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace wl::app {

Gui::Gui(Ui& ui, float scale) {
    ImGui::CreateContext();
    ImPlot::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    io.ConfigInputTrickleEventQueue = true;
    io.UserData = &ui;
    ui.scale = ui.base = scale;
    ui.fonts = load_fonts();
    apply_style(scale);
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

Gui::~Gui() {
    ImGui_ImplOpenGL3_Shutdown();
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
}

namespace {

void move_instant(App& app, const Commands& commands) {
    if (app.session.capture.launch.kernel.empty() || app.session.program.empty()) return;
    const LaneQuestion here = lane_question(app.session, app.selection, app.workspace.lanes.watch);
    if (commands.seek_wrong) {
        select_first_wrong(app.session, app.selection);
        const LaneQuestion there = lane_question(app.session, app.selection, app.workspace.lanes.watch);
        ask_instant(app.session, app.selection, there, first_wrong_words(app.session), true);
    }
    if (commands.seek) ask_instant(app.session, app.selection, here, *commands.seek);
    if (commands.seek_write) ask_instant(app.session, app.selection, here, *commands.seek_write, true);
    if (commands.step) ask_step(app.session, app.selection, here, *commands.step);
}

void export_later(App& app, const std::string& path) {
    const capture::Probe* probe = probe_of(app.session, app.selection);
    TileView tile;  // without what is drawn of it
    tile.data = app.session.current.data, tile.held = app.session.current.held;
    tile.got.values = app.session.current.got.values;
    keep_later(
        app.session,
        "The tile",
        path,
        [tile,
         name = probe != nullptr ? probe->name : "",
         style = value_style(app.workspace.heatmaps),
         path] { export_tile(tile, name, style, path); }
    );
}

void report_later(App& app, const std::string& path) {
    keep_later(
        app.session,
        "The report",
        path,
        [&capture = app.session.capture, write = app.write_report, path] { write(capture, path); }
    );
}

void keep(App& app, const Commands& commands) {
    Session& session = app.session;
    try {
        if (commands.save) save_later(session, *commands.save);
        if (commands.export_tile) export_later(app, *commands.export_tile);
        if (commands.report) report_later(app, *commands.report);
        if (commands.editor) {
            session.settings.editor = *commands.editor;
            write_settings(session.settings);
        }
        if (commands.edit) {
            const std::string& own = session.settings.editor;
            open_editor(own.empty() ? usual_editor() : own, commands.edit->file, commands.edit->line);
        }
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

// What was opened or has run is shown.
void choose_panel(App& app, uint64_t captures, const Commands& commands) {
    if (!commands.panel.empty()) show_panel(app.workspace, commands.panel);
    if (app.session.captures == captures) return;
    app.workspace.at_home = false;
    if (is_undescribed(app.session)) show_panel(app.workspace, "Source");
}

void ask(App& app, const Commands& commands) {
    Session& session = app.session;
    if (commands.count_banks) ask_banks(session);
    if (commands.ask_written) ask_written(session, *commands.ask_written);
    if (commands.ask_lanes) {
        session.lanes.question = *commands.ask_lanes;
        session.lanes.steps.clear();
        ask_lanes(session, words_of(*commands.ask_lanes));
    }
    if (commands.ask_lanes_again) ask_lanes_again(session);
    if (commands.ask_shared) ask_shared(session, *commands.ask_shared);
    if (commands.breakpoint) set_breakpoint(session, *commands.breakpoint);
    if (commands.no_breakpoint) remove_breakpoint(session, *commands.no_breakpoint);
    if (commands.seek || commands.seek_write || commands.seek_wrong || commands.step)
        move_instant(app, commands);
    if (commands.ask_writes) {
        const LaneQuestion here = lane_question(session, app.selection, app.workspace.lanes.watch);
        ask_writes(session, block_and_build(here) + " --writes " + *commands.ask_writes);
    }
    if (commands.ask_fragments) ask_fragments(session, *commands.ask_fragments);
    if (commands.ask_provenance) ask_provenance(session, *commands.ask_provenance);
    if (commands.ask_lesson) ask_lesson(session, *commands.ask_lesson);
}

// What was said of the move before is no longer of use once the user goes on; what went wrong stays.
void forget_message(App& app, const Selection& before, const Commands& commands) {
    const Selection& now = app.selection;
    const bool moved = now.tile != before.tile || now.element != before.element || now.time != before.time ||
        now.finding != before.finding || now.line_chosen != before.line_chosen;
    const bool asked = commands.step || commands.seek || commands.seek_write || commands.seek_wrong ||
        !commands.acts.empty();
    if ((moved || asked) && !app.session.message.bad) app.session.message = {};
}

void carry_out(App& app, Commands& commands) {
    Session& session = app.session;
    const std::vector<Act> acts = commands.acts;
    for (const Act act : acts) perform(app, act, commands);
    if (commands.run) {
        take_request(app.workspace.run, session, *commands.run);
        run(session, *commands.run);
    }
    if (commands.run_b) run_as_b(session, *commands.run_b);
    if (commands.try_fix) try_fix(session, *commands.try_fix);
    if (commands.record) run_recording(session, *commands.record);
    if (commands.cancel && session.worker) cancel(*session.worker);
    if (commands.find_difference) find_difference(session, app.selection, -1, *commands.find_difference);
    ask(app, commands);
    if (commands.open) open_anything(session, app.selection, *commands.open);
    if (commands.open_b) load_other(session, *commands.open_b);
    keep(app, commands);
    if (commands.reset_layout) {
        forget_layout(app.workspace.desks);
        app.workspace.laid_out = false;
    }
    if (commands.flip_theme) {
        app.ui.light = !app.ui.light;
        apply_style(app.ui.scale);
    }
    if (commands.described) session.describing.left.clear();
    if (commands.trust) trust_named(session);
    if (commands.zoom) app.ui.zoom = *commands.zoom;
    if (commands.flip_theme || commands.zoom) {
        session.settings.light = app.ui.light, session.settings.zoom = app.ui.zoom;
        write_settings(session.settings);
    }
    app.quit = app.quit || commands.quit;
}

}  // namespace

namespace {

// The user may ask for more than the window has room for: then as much as it has.
float wanted_scale(const Ui& ui, ImVec2 window) {
    constexpr float kWidth = 960, kHeight = 600;  // pixels at scale 1: what the panels need at least
    const float wanted = ui.base * ui.zoom, most = std::min(window.x / kWidth, window.y / kHeight);
    return ui.zoom <= 1 || window.x <= 0 ? wanted : std::max(ui.base, std::min(wanted, most));
}

}  // namespace

void before_frame(App& app) {
    constexpr float kForARoom = 1.5F;
    const float scale =
        wanted_scale(app.ui, ImGui::GetIO().DisplaySize) * (app.workspace.projector ? kForARoom : 1);
    if (scale != app.ui.scale) {
        app.ui.scale = scale;
        apply_style(scale);
        app.workspace.laid_out = false;
    }
    take_layout(app.workspace.desks);
}

float next_zoom(float zoom, int steps) {
    constexpr std::array kZooms = {0.8F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};
    const auto nearest = std::ranges::min_element(kZooms, {}, [zoom](float z) { return std::abs(z - zoom); });
    const auto next = (nearest - kZooms.begin()) + steps;
    return kZooms[static_cast<size_t>(std::clamp<std::ptrdiff_t>(next, 0, std::ssize(kZooms) - 1))];
}

namespace {

// The first is opened; of two captures the second becomes B.
void take_brought(App& app, Commands& commands) {
    const std::vector<std::string> files = std::exchange(app.brought, {});
    if (!files.empty()) commands.open = files[0];
    if (files.size() > 1 && files[0].ends_with(".wlcap") && files[1].ends_with(".wlcap"))
        commands.open_b = files[1];
}

}  // namespace

void frame(App& app) {
    app.ui.controls.clear();
    app.ui.written.clear();
    app.ui.due = -1;
    const Selection before = app.selection;
    const uint64_t captures = app.session.captures;
    app.changed = prepare(app.session, app.selection);
    Commands commands;
    take_brought(app, commands);
    take_keys(app, commands);
    const Selection shown = app.selection;
    draw_workspace(app.workspace, app.session, app.selection, commands);
    forget_message(app, shown, commands);
    carry_out(app, commands);
    choose_panel(app, captures, commands);
    remember(app.session.history, app.selection, app.session.captures, ImGui::IsAnyMouseDown());
    app.changed = app.changed || app.selection != before || commands.reset_layout || !commands.acts.empty() ||
        !app.workspace.focus.empty() || app.workspace.desks.wanted || app.workspace.desks.settling > 0;
}

}  // namespace wl::app
