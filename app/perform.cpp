// One switch; what takes more than a line is a function above it.
#include "app/perform.h"

#include "app/allowed.h"
#include "app/draw/transport.h"
#include "app/session/clock.h"
#include "app/session/compare/find.h"
#include "app/session/edit/rerun.h"
#include "app/session/navigate.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <string_view>

namespace wl::app {

namespace {

void show_heat(App& app, Act act) {
    HeatmapsPanel& heat = app.workspace.heatmaps;
    const auto metric = [&](analysis::Metric which) {
        choose_metric(heat, app.session.current, static_cast<int>(which));
    };
    const auto zoom = [&](Zoom how) {
        heat.zoom = how;
        heat.centred = {};
    };
    switch (act) {
        case Act::difference: return metric(analysis::Metric::difference);
        case Act::relative: return metric(analysis::Metric::relative);
        case Act::ratio: return metric(analysis::Metric::ratio);
        case Act::ulp: return metric(analysis::Metric::ulp);
        case Act::log: heat.log = !heat.log; return;
        case Act::autofit: heat.autofit = true; return fit_ranges(heat, app.session.current);
        case Act::fit: return zoom(Zoom::fit);
        case Act::one_to_one: return zoom(Zoom::one_to_one);
        case Act::cell: return zoom(Zoom::cell);
        case Act::link: heat.linked = !heat.linked; return;
        case Act::flip: heat.swapped = !heat.swapped; return;
        case Act::beside: heat.arrange = Arrange::side; return;
        case Act::over_each_other: heat.arrange = Arrange::flip; return;
        case Act::split: heat.arrange = Arrange::split; return;
        case Act::blend: heat.arrange = Arrange::blend; return;
        default: return;
    }
}

void show_b(App& app, Act act) {
    Session& session = app.session;
    switch (act) {
        case Act::versus: session.against.shown = !session.against.shown; return;
        case Act::keep_as_b: return keep_as_other(session);
        case Act::earlier: return compare_earlier(session);
        case Act::swap: return swap_sides(session, app.selection);
        case Act::drop_b: return drop_other(session);
        case Act::next_difference:
            session.against.shown = true;
            find_difference(session, app.selection, app.selection.tile);
            return;
        default: return;
    }
}

void move(App& app, Act act) {
    const Session& session = app.session;
    Selection& at = app.selection;
    switch (act) {
        case Act::back: go_back(app.session.history, at); return;
        case Act::forward: go_forward(app.session.history, at); return;
        case Act::next_bad: select_next_bad(session, at, 1); return;
        case Act::previous_bad: select_next_bad(session, at, -1); return;
        case Act::first_bad: return select_tile(session, at, session.first_bad);
        case Act::next_stop: return step(session, at, 1, StepKind::stop);
        case Act::previous_stop: return step(session, at, -1, StepKind::stop);
        case Act::next_instant: return step(session, at, 1, StepKind::instant);
        case Act::previous_instant: return step(session, at, -1, StepKind::instant);
        default: return;
    }
}

// What a run needs is in the run bar.
void run_what_is_chosen(App& app, Act act, Commands& commands) {
    const std::string refusal = refusal_of(app.workspace.run);
    if (!refusal.empty()) {
        app.session.message = {refusal, true};
        return;
    }
    const KernelOptions request = request_of(app.workspace.run, app.session);
    if (act == Act::run) commands.run = request;
    if (act == Act::run_b) commands.run_b = request;
}

void ask_for(App& app, Asks what) { app.workspace.dialogs.asks = what; }

void use_source(App& app, Act act, Commands& commands) {
    SourceFind& find = app.workspace.source.find;
    if (act == Act::edit_line) {
        commands.edit = place_of_line(app.session, app.selection);
        return;
    }
    show_panel(app.workspace, "Source");
    if (act == Act::ptx) app.workspace.source.ptx.shown = !app.workspace.source.ptx.shown;
    if (act == Act::find) find.opens = true;
    if (act == Act::find_next) find.step = 1;
    if (act == Act::find_previous) find.step = -1;
}

void flip_break(Session& session, const std::string& element) {
    const Breakpoint here{"", 0, "", element};
    if (breaks_on(session, element))
        remove_breakpoint(session, here);
    else
        set_breakpoint(session, here);
}

}  // namespace

void perform(App& app, Act act, Commands& commands) {
    Session& session = app.session;
    if (!can(act, session, app.selection)) return;
    if (const char* words = step_words(act)) {
        const bool write = act == Act::write || act == Act::back_write;
        commands.step = words + (write ? element_name(session, app.selection) : "");
        return;
    }
    switch (act) {
        case Act::break_write: return flip_break(session, element_name(session, app.selection));
        case Act::writes:
            app.workspace.element.lists_writes = !app.workspace.element.lists_writes;
            return show_panel(app.workspace, "Element");
        case Act::open: return ask_for(app, Asks::open);
        case Act::open_b: return ask_for(app, Asks::open_b);
        case Act::save: return ask_for(app, Asks::save);
        case Act::export_tile: return ask_for(app, Asks::export_tile);
        case Act::report: return ask_for(app, Asks::report);
        case Act::editor: return ask_for(app, Asks::editor);
        case Act::home: app.workspace.at_home = !app.workspace.at_home; return;
        case Act::quit: app.quit = true; return;
        case Act::run:
        case Act::run_b: return run_what_is_chosen(app, act, commands);
        case Act::cancel: commands.cancel = true; return;
        case Act::record: {
            const int64_t block = tile_of(session, app.selection)->block;
            if (block < 0) return record_behind(session, app.selection);
            return run_recording(session, block);
        }
        case Act::describe: return describe(session);
        case Act::follow_files: session.watched.on = !session.watched.on; return;
        case Act::palette: app.workspace.finder.opens = true; return;
        case Act::cheat_sheet: app.workspace.finder.cheat_sheet = !app.workspace.finder.cheat_sheet; return;
        case Act::layout:
            app.workspace.open.fill(true);
            commands.reset_layout = true;
            return;
        case Act::desk_compare: return show_desk(app.workspace, Desk::compare);
        case Act::desk_step: return show_desk(app.workspace, Desk::step);
        case Act::desk_layout: return show_desk(app.workspace, Desk::layout);
        case Act::desk_learn: return show_desk(app.workspace, Desk::learn);
        case Act::maximise: return maximise_panel(app.workspace);
        case Act::projector: return project_panel(app.workspace);
        case Act::undo_layout: return undo_layout(app.workspace.desks);
        case Act::redo_layout: return redo_layout(app.workspace.desks);
        case Act::theme: commands.flip_theme = true; return;
        case Act::larger: commands.zoom = next_zoom(app.ui.zoom, 1); return;
        case Act::smaller: commands.zoom = next_zoom(app.ui.zoom, -1); return;
        case Act::usual_size: commands.zoom = 1; return;
        case Act::find:
        case Act::find_next:
        case Act::find_previous:
        case Act::ptx:
        case Act::edit_line: return use_source(app, act, commands);
        default: break;
    }
    const std::string_view menu = action_of(act).menu;
    if (menu == "Go") return move(app, act);
    show_heat(app, act);
    show_b(app, act);
}

// A step is a press: a key that is held down while a frame is slow does not run on.
void take_keys(App& app, Commands& commands) {
    const ImGuiIO& io = ImGui::GetIO();
    const Desk desk = app.workspace.desks.shown;
    const bool shows = desk == Desk::layout || desk == Desk::learn;  // where nobody steps
    const bool ends = app.workspace.projector && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
    if (ends || (shows && ImGui::IsKeyChordPressed(ImGuiKey_F11)))
        return perform(app, Act::projector, commands);
    for (const Action& action : actions()) {
        if (action.keys[0] == '\0') continue;
        const int chord = chord_of(action.keys), key = chord & ~ImGuiMod_Mask_;
        const bool function = key >= ImGuiKey_F1 && key <= ImGuiKey_F12;
        const bool command = (chord & ImGuiMod_Ctrl) != 0 && key != ImGuiKey_Backspace;
        const bool of_text = key == ImGuiKey_Z;  // the field takes back what was typed
        if (io.WantTextInput && ((!function && !command) || of_text)) continue;
        const bool moves = key == ImGuiKey_W || key == ImGuiKey_A || key == ImGuiKey_S || key == ImGuiKey_D;
        if (app.workspace.timeline.hovered && moves && !command) continue;
        const bool repeats = std::string_view(action.menu) == "Go" && !function;
        if (ImGui::IsKeyChordPressed(chord, repeats ? ImGuiInputFlags_Repeat : ImGuiInputFlags_None))
            perform(app, action.act, commands);
    }
}

}  // namespace wl::app
