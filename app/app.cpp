// Prepare, draw, carry out what the panels asked for.
#include "app/app.h"

#include "app/draw/look.h"
#include "app/session/clock.h"
#include "app/session/questions.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <implot.h>

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
    ui.scale = scale;
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
    if (commands.seek) ask_instant(app.session, app.selection, here, *commands.seek);
    if (commands.step) ask_step(app.session, app.selection, here, *commands.step);
}

}  // namespace

void frame(App& app) {
    app.ui.controls.clear();
    const Selection before = app.selection;
    app.changed = prepare(app.session, app.selection);
    Commands commands;
    draw_workspace(app.workspace, app.session, app.selection, commands);
    if (commands.run) run(app.session, *commands.run);
    if (commands.cancel && app.session.worker) cancel(*app.session.worker);
    if (commands.count_banks) ask_banks(app.session);
    if (commands.ask_lanes) {
        app.session.lanes.question = *commands.ask_lanes;
        app.session.lanes.steps.clear();
        ask_lanes(app.session, words_of(*commands.ask_lanes));
    }
    if (commands.ask_lanes_again) ask_lanes_again(app.session);
    if (commands.ask_shared) ask_shared(app.session, *commands.ask_shared);
    if (commands.breakpoint) set_breakpoint(app.session, *commands.breakpoint);
    if (commands.no_breakpoint) remove_breakpoint(app.session, *commands.no_breakpoint);
    if (commands.seek || commands.step) move_instant(app, commands);
    if (commands.ask_fragments) ask_fragments(app.session, *commands.ask_fragments);
    if (commands.ask_provenance) ask_provenance(app.session, *commands.ask_provenance);
    if (commands.ask_lesson) ask_lesson(app.session, *commands.ask_lesson);
    if (commands.open) load_file(app.session, app.selection, *commands.open);
    if (commands.reset_layout) app.workspace.laid_out = false;
    app.quit = app.quit || commands.quit;
    app.changed = app.changed || app.selection != before || commands.reset_layout;
}

}  // namespace wl::app
