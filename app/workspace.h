// The table of contents of the window: every panel, in visual order, and where it is docked by default.
#pragma once

#include "app/desks.h"
#include "app/docking.h"
#include "app/finder.h"
#include "app/menus.h"
#include "app/panels/banks.h"
#include "app/panels/compare.h"
#include "app/panels/element.h"
#include "app/panels/errors.h"
#include "app/panels/findings.h"
#include "app/panels/fragments.h"
#include "app/panels/headline.h"
#include "app/panels/heatmaps.h"
#include "app/panels/home.h"
#include "app/panels/lanes.h"
#include "app/panels/learn.h"
#include "app/panels/ownership.h"
#include "app/panels/provenance.h"
#include "app/panels/run.h"
#include "app/panels/shared_memory.h"
#include "app/panels/source.h"
#include "app/panels/tiles.h"
#include "app/panels/timeline.h"
#include "app/session/commands.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "app/strips.h"

#include <array>
#include <string>
#include <vector>

namespace wl::app {

constexpr int kPanels = 15;

constexpr std::array<bool, kPanels> every_panel() {
    std::array<bool, kPanels> open{};
    open.fill(true);
    return open;
}

struct Workspace {
    RunPanel run;
    HeadlinePanel headline;
    TilesPanel tiles;
    HeatmapsPanel heatmaps;
    FindingsPanel findings;
    ComparePanel compare;
    HomePanel home;
    SourcePanel source;
    ErrorsPanel errors;
    BanksPanel banks;
    LanesPanel lanes;
    FragmentsPanel fragments;
    SharedMemoryPanel shared_memory;
    ProvenancePanel provenance;
    OwnershipPanel ownership;
    ElementPanel element;
    TimelinePanel timeline;
    LearnPanel learn;
    std::array<bool, kPanels> open = every_panel();
    Desks desks;
    bool laid_out = false;
    Shape shape = Shape::wide;                // for which
    Strips strips;                            // what the workspace has folded away
    std::string maximised;                    // title of the panel that is alone; empty: none is
    bool projector = false;                   // the same in large type, without the bars
    std::array<bool, kPanels> in_front = {};  // that were seen in the last frame
    Dialogs dialogs;
    Finder finder;
    bool at_home = false;            // Home covers the panels
    std::vector<std::string> focus;  // titles of panels that come to the front
    int fronts = 0;  // frames more until they do: places that were just built have no tabs yet
};

void draw_workspace(Workspace& workspace, const Session& session, Selection& selection, Commands& commands);

void show_desk(Workspace& workspace, Desk desk);
const char* panel_title(int panel);  // by position in the list
// One panel as large as the window, or all of them again; the one under the mouse, else the workspace's own.
void maximise_panel(Workspace& workspace);
void project_panel(Workspace& workspace);  // the same in large type
void show_panel(Workspace& workspace, const std::string& title);

// ---- around the panels (chrome.cpp)
void draw_top_bar(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands
);
void draw_run_bar(Workspace& workspace, const Session& session, Commands& commands);
void draw_status_bar(const Session& session, const Selection& selection);

}  // namespace wl::app
