// One list of panels; everything about docking is here.
#include "app/workspace.h"

#include "app/draw/ui.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <iterator>

namespace wl::app {

namespace {

struct PanelEntry {
    PanelPlace place;
    void (*draw)(Workspace&, const Session&, Selection&, Commands&);
};

using W = Workspace&;
using S = const Session&;
using C = Selection&;
using A = Commands&;
constexpr PanelEntry kList[] = {
    {"Tiles",         Dock::left,         Dock::left,        [](W w, S s, C c, A) { draw(w.tiles, s, c); }             },
    {"Heatmaps",      Dock::centre,       Dock::centre,      [](W w, S s, C c, A a) { draw(w.heatmaps, s, c, a); }     },
    {"Lanes",         Dock::centre,       Dock::centre,      [](W w, S s, C c, A a) { draw(w.lanes, s, c, a); }        },
    {"Fragments",     Dock::centre,       Dock::centre,      [](W w, S s, C c, A a) { draw(w.fragments, s, c, a); }    },
    {"Shared memory", Dock::centre,       Dock::centre,      [](W w, S s, C c, A a) { draw(w.shared_memory, s, c, a); }},
    {"Provenance",    Dock::centre,       Dock::centre,      [](W w, S s, C c, A a) { draw(w.provenance, s, c, a); }   },
    {"Banks",         Dock::centre,       Dock::centre,      [](W w, S s, C c, A a) { draw(w.banks, s, c, a); }        },
    {"Learn",         Dock::centre,       Dock::centre,      [](W w, S s, C,   A a) { draw(w.learn, s, a); }           },
    {"Findings",      Dock::below_left,   Dock::below_left,  [](W w, S s, C c, A) { draw(w.findings, s, c); }          },
    {"Compare",       Dock::below_left,   Dock::below_left,  [](W w, S s, C c, A a) { draw(w.compare, s, c, a); }      },
    {"Source",        Dock::below_middle, Dock::below_right, [](W w, S s, C c, A a) { draw(w.source, s, c, a); }       },
    {"Errors",        Dock::below_right,  Dock::below_right, [](W w, S s, C c, A) { draw(w.errors, s, c); }            },
    {"Ownership",     Dock::right_top,    Dock::right_top,   [](W w, S s, C c, A a) { draw(w.ownership, s, c, a); }    },
    {"Element",       Dock::right,        Dock::right,       [](W w, S s, C c, A a) { draw(w.element, s, c, a); }      },
    {"Timeline",      Dock::bottom,       Dock::bottom,      [](W w, S s, C c, A a) { draw(w.timeline, s, c, a); }     },
};
static_assert(std::size(kList) == kPanels);

// Panels that share a place have tabs. Names of controls have no spaces.
void register_tab(const char* title) {
    const ImRect& tab = ImGui::GetCurrentWindow()->DC.DockTabItemRect;
    std::string name = std::string("tab/") + title;
    std::replace(name.begin(), name.end(), ' ', '-');
    if (ImGui::IsWindowDocked() && tab.GetWidth() > 0) register_control(name, tab.Min, tab.Max);
}

// Of several windows that get the focus in a frame, Dear ImGui brings the last one alone to the front of its
// tabs.
void choose_tab() {
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    if (window->DockNode != nullptr && window->DockNode->TabBar != nullptr)
        window->DockNode->TabBar->NextSelectedTabId = window->TabId;
}

}  // namespace

const char* panel_title(int panel) { return kList[panel].place.title; }

void show_panel(Workspace& workspace, const std::string& title) {
    if (!workspace.maximised.empty() && workspace.maximised != title) workspace.maximised.clear();
    if (is_folded(workspace.desks.shown, title)) {
        workspace.strips = {title, true};
        workspace.at_home = false;
        return;
    }
    for (int panel = 0; panel < kPanels; ++panel)
        if (title == kList[panel].place.title) workspace.open[static_cast<size_t>(panel)] = true;
    workspace.focus = {title};
    workspace.at_home = false;
}

void show_desk(Workspace& workspace, Desk desk) {
    workspace.at_home = false;
    workspace.strips = {}, workspace.maximised.clear(), workspace.projector = false;
    if (!choose_desk(workspace.desks, desk)) return;
    workspace.laid_out = false;
    workspace.open.fill(true);
}

namespace {

constexpr ImGuiWindowFlags kStill =
    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoCollapse;
constexpr ImGuiWindowFlags kOverOthers = kStill | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
    ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings;

// After the panel's own items: the tab, or the panel's headline beside what can be pressed there.
bool is_title_pressed_twice() {
    if (!ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return false;
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (ImGui::IsWindowDocked() && window->DC.DockTabItemRect.Contains(mouse)) return true;
    const ImRect head(
        window->InnerRect.Min, {window->InnerRect.Max.x, window->InnerRect.Min.y + px(size::kHeader)}
    );
    return head.Contains(mouse) && ImGui::IsWindowHovered() && !ImGui::IsAnyItemHovered();
}

struct Panels {
    Workspace& workspace;
    const Session& session;
    Selection& selection;
    Commands& commands;
    Box area;
    void draw(int panel, bool shown) const {
        workspace.in_front[static_cast<size_t>(panel)] = shown;
        if (shown) kList[panel].draw(workspace, session, selection, commands);
        if (is_title_pressed_twice())
            workspace.maximised = workspace.maximised.empty() ? kList[panel].place.title : "";
    }
};

// Docked, behind what is maximised with nothing in it.
void draw_docked(const Panels& panels, int panel) {
    Workspace& workspace = panels.workspace;
    const bool wanted = std::ranges::find(workspace.focus, kList[panel].place.title) != workspace.focus.end();
    if (wanted && workspace.maximised.empty()) ImGui::SetNextWindowFocus();
    const bool shown = ImGui::Begin(kList[panel].place.title, nullptr, kStill);
    if (wanted) choose_tab();
    if (workspace.maximised.empty()) {
        register_tab(kList[panel].place.title);
        panels.draw(panel, shown);
    }
    ImGui::End();
}

// Over the others, in a window of its own: where it is docked stays as it is.
void draw_over(const Panels& panels, int panel, const char* id, Box box) {
    const std::string name = std::string(kList[panel].place.title) + "###" + id + kList[panel].place.title;
    ImGui::SetNextWindowPos(box.low);
    ImGui::SetNextWindowSize({box.width(), box.height()});
    const bool appears =
        ImGui::FindWindowByName(name.c_str()) == nullptr || !ImGui::FindWindowByName(name.c_str())->WasActive;
    if (appears) ImGui::SetNextWindowFocus();
    const bool shown = ImGui::Begin(name.c_str(), nullptr, kOverOthers);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(box.low, box.high, colour::kPanel);
    list->AddRect(box.low, box.high, colour::kStrongLine);
    panels.draw(panel, shown);
    ImGui::End();
}

void draw_panels(const Panels& panels) {
    Workspace& workspace = panels.workspace;
    const Desk desk = workspace.desks.shown;
    workspace.in_front.fill(false);
    const std::string maximised = workspace.maximised, open = workspace.strips.open;
    const std::vector<Folded> folded = folded_of(desk);
    for (int panel = 0; panel < kPanels; ++panel) {
        const std::string title = kList[panel].place.title;
        if (workspace.open[static_cast<size_t>(panel)] && !is_folded(desk, title)) draw_docked(panels, panel);
    }
    for (int panel = 0; panel < kPanels; ++panel) {
        const std::string title = kList[panel].place.title;
        if (title == maximised) draw_over(panels, panel, "alone/", panels.area);
        if (title != open || !maximised.empty()) continue;
        const auto at =
            std::ranges::find(folded, title, [](const Folded& f) { return std::string(f.title); });
        if (at != folded.end()) draw_over(panels, panel, "over/", box_of(*at, panels.area));
    }
}

}  // namespace

namespace {

void lay_out(Workspace& workspace, ImGuiID dock_space, ImVec2 extent, Shape shape) {
    const Desk desk = workspace.desks.shown;
    std::vector<PanelPlace> places;
    for (const PanelEntry& panel : kList) places.push_back(panel.place);
    build_layout(dock_space, extent, shape, desk, places);
    workspace.shape = shape;
    // A place of several has the last of these in front, so that what was asked for stands there.
    std::vector<std::string> asked = std::move(workspace.focus);
    workspace.focus.clear();
    for (std::string& title : front_of(desk, shape)) workspace.focus.push_back(std::move(title));
    workspace.fronts = 4;
    workspace.focus.insert(workspace.focus.end(), asked.begin(), asked.end());
}

}  // namespace

namespace {

// Above the panels; returns where they begin.
float draw_bars(Workspace& workspace, const Session& session, Selection& selection, Commands& commands) {
    draw_top_bar(workspace, session, selection, commands);
    workspace.headline.height = 0;
    if (workspace.projector) return px(size::kTopBar);
    draw_run_bar(workspace, session, commands);
    const float below_run = px(size::kTopBar) + workspace.run.height;
    if (!workspace.at_home) draw(workspace.headline, session, selection, commands, below_run);
    return below_run + workspace.headline.height;
}

// The place of docked panels in a window of its own.
void draw_dock_space(Workspace& workspace, const Session& session, Commands& commands, Box docks) {
    const ImVec2 extent(docks.width(), docks.height());
    ImGui::SetNextWindowPos(docks.low);
    ImGui::SetNextWindowSize(extent);
    const ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
        ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoBringToFrontOnFocus |
        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
    ImGui::Begin("##workspace", nullptr, fixed);
    const ImGuiID dock_space = ImGui::GetID("dock");
    // What comes and goes above the panels does not rearrange them.
    const float bars = px(size::kTopBar) + workspace.run.fields + px(size::kStatusBar);
    const Shape shape = shape_of(extent.x, ImGui::GetIO().DisplaySize.y - bars);
    // What was docked by hand stays as it is when the window becomes smaller.
    const bool built_for_another = workspace.shape != shape && !is_by_hand(workspace.desks);
    if ((!workspace.laid_out && !is_by_hand(workspace.desks)) || built_for_another)
        lay_out(workspace, dock_space, extent, shape);
    workspace.laid_out = true;
    if (workspace.at_home) {
        draw(workspace.home, session, commands);
        ImGui::DockSpace(dock_space, {}, ImGuiDockNodeFlags_KeepAliveOnly);
    } else {
        ImGui::DockSpace(dock_space, extent, ImGuiDockNodeFlags_AutoHideTabBar);
    }
    ImGui::End();
}

std::string main_panel(const Workspace& workspace) {
    for (const std::string_view title : task_of(workspace.desks.shown))
        for (int panel = 0; panel < kPanels; ++panel)
            if (title == kList[panel].place.title && workspace.in_front[static_cast<size_t>(panel)])
                return std::string(title);
    return "Heatmaps";
}

// Under the mouse, else the workspace's own.
std::string panel_meant(const Workspace& workspace) {
    const ImGuiWindow* hovered = ImGui::GetCurrentContext()->HoveredWindow;
    if (hovered != nullptr)
        for (const PanelEntry& panel : kList)
            if (std::string_view(hovered->RootWindow->Name) == panel.place.title) return panel.place.title;
    return main_panel(workspace);
}

}  // namespace

void maximise_panel(Workspace& workspace) {
    workspace.maximised = workspace.maximised.empty() ? panel_meant(workspace) : "";
    workspace.projector = false;
}

void project_panel(Workspace& workspace) {
    if (!workspace.projector && workspace.maximised.empty()) workspace.maximised = panel_meant(workspace);
    workspace.projector = !workspace.projector;
    if (!workspace.projector) workspace.maximised.clear();
}

void draw_workspace(Workspace& workspace, const Session& session, Selection& selection, Commands& commands) {
    const float top = draw_bars(workspace, session, selection, commands);
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const bool strips =
        !shows_all(workspace.desks.shown) && !workspace.at_home && workspace.maximised.empty();
    const Box area{
        {0,        top                            },
        {screen.x, screen.y - px(size::kStatusBar)}
    };
    Box docks = area;
    if (!shows_all(workspace.desks.shown) && !workspace.at_home)
        docks.low.x += strip_width(), docks.high.x -= strip_width();
    draw_dock_space(workspace, session, commands, docks);
    if (strips) draw_strips(workspace.strips, folded_of(workspace.desks.shown), area);
    if (!workspace.at_home) {
        // A window comes to the front of its tabs only once it has been drawn among them.
        const bool were_drawn = ImGui::FindWindowByName("Timeline") != nullptr;
        draw_panels({workspace, session, selection, commands, area});
        if (were_drawn && --workspace.fronts <= 0) workspace.focus.clear();
    }
    draw_finder(workspace.finder, session, selection, commands);
    draw_status_bar(session, selection);
    watch_layout(workspace.desks);
    selection.hovered = selection.hovering;
    selection.hovering = {};
}

}  // namespace wl::app
