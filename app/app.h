// The whole application under its three shells (window, off screen, script driver).
#pragma once

#include "app/draw/ui.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "app/workspace.h"

#include <functional>
#include <string>
#include <vector>

namespace wl::app {

// A Dear ImGui and ImPlot context that draws with `ui`; ends with this object. Its shell's OpenGL context
// must outlive it.
struct Gui {
    Gui(Ui& ui, float scale);
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;
    ~Gui();
};

struct App {
    Ui ui;
    Session session;
    Selection selection;
    Workspace workspace;
    // As one HTML page, at that path; empty: nobody can. Reads the capture on a thread of its own.
    std::function<void(const capture::Capture&, const std::string& path)> write_report;
    std::vector<std::string> brought;  // files to be opened by the next frame: dropped, or named at the start
    bool quit = false;
    bool changed = false;  // the last frame moved something: draw another
};

void before_frame(App& app);  // what Dear ImGui does not take within a frame
float next_zoom(float zoom, int steps);
// One frame between ImGui::NewFrame and ImGui::Render.
void frame(App& app);

}  // namespace wl::app
