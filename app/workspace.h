// The table of contents of the window: every panel, in visual order, and where it is docked by default.
#pragma once

#include "app/desks.h"
#include "app/finder.h"
#include "app/menus.h"
#include "app/panels/banks.h"
#include "app/panels/compare.h"
#include "app/panels/element.h"
#include "app/panels/errors.h"
#include "app/panels/findings.h"
#include "app/panels/fragments.h"
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

#include <array>
#include <string>
#include <vector>

namespace wl::app {

// centre_right: of a workspace that shows two panels where heatmaps are else, beside each other.
enum class Dock : uint8_t {
    left,
    centre,
    centre_right,
    below_left,
    below_middle,
    below_right,
    right_top,
    right,
    bottom
};
// Of the window: room for three columns below the heatmaps; for two, with tabs; for none: what is below goes
// to the right, so that the heatmaps keep their height.
enum class Shape : uint8_t { wide, narrow, low };
Shape shape_of(float width, float height);
constexpr int kPanels = 15;

constexpr std::array<bool, kPanels> every_panel() {
    std::array<bool, kPanels> open{};
    open.fill(true);
    return open;
}

struct Workspace {
    RunPanel run;
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
    Shape shape = Shape::wide;  // for which
    Dialogs dialogs;
    Finder finder;
    bool at_home = false;            // Home covers the panels
    std::vector<std::string> focus;  // titles of panels that come to the front
    int fronts = 0;  // frames more until they do: places that were just built have no tabs yet
};

void draw_workspace(Workspace& workspace, const Session& session, Selection& selection, Commands& commands);

// The dock layout of a workspace for the present size of the window.
void build_layout(unsigned dock_space, float width, float height, Desk desk);
void show_desk(Workspace& workspace, Desk desk);
const char* panel_title(int panel);  // by position in the list
void show_panel(Workspace& workspace, const std::string& title);

// ---- around the panels (chrome.cpp)
void draw_top_bar(
    Workspace& workspace, const Session& session, const Selection& selection, Commands& commands
);
void draw_run_bar(Workspace& workspace, const Session& session, Commands& commands);
void draw_status_bar(const Session& session, const Selection& selection);

}  // namespace wl::app
