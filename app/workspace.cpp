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
    const char* title;
    Dock wide, narrow;
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

constexpr float kWideFrom = 1700;  // pixels at scale 1: below the heatmaps three columns, else two with tabs

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

constexpr float kTimeline[] = {222, 206, 196}, kBelow[] = {292, 196, 0};  // heights by Shape
constexpr float kLowTimeline = 0.27F;    // of a low window, whose heatmaps need the height
constexpr float kCentre[] = {400, 424};  // so much leaves a heatmap 250: tabs, toolbar, names and colour bar

// What a workspace has elsewhere, and in front.
struct DeskPanel {
    Desk desk;
    std::string_view title;
    Dock dock;
    bool front;
};
constexpr DeskPanel kDeskPanels[] = {
    {Desk::compare, "Heatmaps",      Dock::centre,       true },
    {Desk::compare, "Findings",      Dock::below_left,   true },
    {Desk::step,    "Lanes",         Dock::centre,       true },
    {Desk::step,    "Source",        Dock::centre_right, true },
    {Desk::step,    "Element",       Dock::right,        true },
    {Desk::layout,  "Shared memory", Dock::centre,       true },
    {Desk::layout,  "Fragments",     Dock::centre_right, true },
    {Desk::layout,  "Banks",         Dock::below_left,   true },
    {Desk::learn,   "Learn",         Dock::centre,       true },
    {Desk::learn,   "Source",        Dock::centre_right, true },
    {Desk::learn,   "Heatmaps",      Dock::centre_right, false},
    {Desk::learn,   "Findings",      Dock::below_left,   true },
};

// `halved`: the centre has room for two panels beside each other.
Dock dock_of(const PanelEntry& panel, Shape shape, Desk desk, bool halved) {
    for (const DeskPanel& own : kDeskPanels) {
        if (own.desk != desk || own.title != panel.title || own.dock == panel.wide) continue;
        if (own.dock == Dock::centre_right ? halved : shape != Shape::low) return own.dock;
    }
    if (shape == Shape::wide) return panel.wide;
    if (shape == Shape::narrow) return panel.narrow;
    switch (panel.narrow) {
        case Dock::below_left: return Dock::right;
        case Dock::below_middle:
        case Dock::below_right: return Dock::right_top;
        default: return panel.narrow;
    }
}

float left_width(Shape shape) { return shape == Shape::wide ? 276 : 222; }
float right_width(Shape shape) { return shape == Shape::wide ? 340 : shape == Shape::low ? 320 : 268; }

bool is_halved(float width, float height, Desk desk) {
    // Lanes and Source can be narrow; three matrices of shared memory, or a list of lessons and a text,
    // cannot.
    const float halves = desk == Desk::step ? 640 : 1000;
    const Shape shape = shape_of(width, height);
    return desk != Desk::compare && width - px(left_width(shape) + right_width(shape)) >= px(halves);
}

ImGuiID split(ImGuiID& node, ImGuiDir direction, float share) {
    return ImGui::DockBuilderSplitNode(node, direction, std::clamp(share, 0.05F, 0.9F), nullptr, &node);
}

}  // namespace

const char* panel_title(int panel) { return kList[panel].title; }

void show_panel(Workspace& workspace, const std::string& title) {
    for (int panel = 0; panel < kPanels; ++panel)
        if (title == kList[panel].title) workspace.open[static_cast<size_t>(panel)] = true;
    workspace.focus = {title};
    workspace.at_home = false;
}

void show_desk(Workspace& workspace, Desk desk) {
    workspace.at_home = false;
    if (!choose_desk(workspace.desks, desk)) return;
    workspace.laid_out = false;
    workspace.open.fill(true);
}

Shape shape_of(float width, float height) {
    const Shape shape = width >= px(kWideFrom) ? Shape::wide : Shape::narrow;
    const auto i = static_cast<size_t>(shape);
    return height >= px(kTimeline[i] + kBelow[i] + kCentre[i]) ? shape : Shape::low;
}

void build_layout(unsigned dock_space, float width, float height, Desk desk) {
    const Shape shape = shape_of(width, height);
    const bool wide = width >= px(kWideFrom);
    ImGui::DockBuilderRemoveNode(dock_space);
    ImGui::DockBuilderAddNode(
        dock_space, static_cast<int>(ImGuiDockNodeFlags_DockSpace) | ImGuiDockNodeFlags_AutoHideTabBar
    );
    ImGui::DockBuilderSetNodeSize(dock_space, {width, height});
    std::array<ImGuiID, 9> node{};
    const auto at = [&node](Dock dock) -> ImGuiID& { return node[static_cast<size_t>(dock)]; };
    const float below = kBelow[static_cast<size_t>(shape)], most = kTimeline[static_cast<size_t>(shape)];
    const float timeline = shape == Shape::low ? std::min(most, kLowTimeline * height / px(1)) : most;
    const float upper = height - px(timeline), left = left_width(shape), right = right_width(shape);
    const float top = shape == Shape::low ? upper * 0.52F : px(wide ? 240 : 190);
    ImGuiID rest = dock_space;
    at(Dock::bottom) = split(rest, ImGuiDir_Down, px(timeline) / height);
    at(Dock::left) = split(rest, ImGuiDir_Left, px(left) / width);
    at(Dock::right) = split(rest, ImGuiDir_Right, px(right) / (width - px(left)));
    at(Dock::right_top) = split(at(Dock::right), ImGuiDir_Up, top / upper);
    if (shape != Shape::low) {
        ImGuiID low = split(rest, ImGuiDir_Down, px(below) / upper);
        if (wide) at(Dock::below_right) = split(low, ImGuiDir_Right, px(372) / (width - px(left + right)));
        at(Dock::below_left) = split(low, ImGuiDir_Left, wide ? 0.47F : 0.44F);
        at(wide ? Dock::below_middle : Dock::below_right) = low;
    }
    const bool halved = is_halved(width, height, desk);
    if (halved) at(Dock::centre_right) = split(rest, ImGuiDir_Right, desk == Desk::learn ? 0.56F : 0.5F);
    at(Dock::centre) = rest;
    for (const PanelEntry& panel : kList)
        ImGui::DockBuilderDockWindow(panel.title, at(dock_of(panel, shape, desk, halved)));
    ImGui::DockBuilderFinish(dock_space);
}

namespace {

void draw_panels(Workspace& workspace, const Session& session, Selection& selection, Commands& commands) {
    const ImGuiWindowFlags still =
        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoCollapse;
    for (int panel = 0; panel < kPanels; ++panel) {
        if (!workspace.open[static_cast<size_t>(panel)]) continue;
        const bool wanted = std::ranges::find(workspace.focus, kList[panel].title) != workspace.focus.end();
        if (wanted) ImGui::SetNextWindowFocus();
        const bool shown = ImGui::Begin(kList[panel].title, nullptr, still);
        if (wanted) choose_tab();
        register_tab(kList[panel].title);
        if (shown) kList[panel].draw(workspace, session, selection, commands);
        ImGui::End();
    }
}

}  // namespace

namespace {

void lay_out(Workspace& workspace, ImGuiID dock_space, ImVec2 extent, Shape shape) {
    const Desk desk = workspace.desks.shown;
    build_layout(dock_space, extent.x, extent.y, desk);
    workspace.shape = shape;
    // A place of several has the last of these in front, so that what was asked for stands there.
    std::vector<std::string> asked = std::move(workspace.focus);
    workspace.focus.clear();
    const bool halved = is_halved(extent.x, extent.y, desk);
    for (const DeskPanel& own : kDeskPanels) {
        if (own.desk != desk || !own.front) continue;
        const auto panel = std::ranges::find(kList, own.title, &PanelEntry::title);
        const bool moved = dock_of(*panel, shape, desk, halved) != own.dock;
        if (!moved || own.dock != Dock::below_left) workspace.focus.emplace_back(own.title);
    }
    workspace.fronts = 4;
    workspace.focus.insert(workspace.focus.end(), asked.begin(), asked.end());
}

}  // namespace

void draw_workspace(Workspace& workspace, const Session& session, Selection& selection, Commands& commands) {
    draw_top_bar(workspace, session, selection, commands);
    draw_run_bar(workspace, session, commands);
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float top = px(size::kTopBar) + workspace.run.height;
    const ImVec2 low(0, top), extent(screen.x, screen.y - top - px(size::kStatusBar));
    ImGui::SetNextWindowPos(low);
    ImGui::SetNextWindowSize(extent);
    const ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
        ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoBringToFrontOnFocus |
        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
    ImGui::Begin("##workspace", nullptr, fixed);
    const ImGuiID dock_space = ImGui::GetID("dock");
    const Shape shape = shape_of(extent.x, extent.y);
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
    if (!workspace.at_home) {
        // A window comes to the front of its tabs only once it has been drawn among them.
        const bool were_drawn = ImGui::FindWindowByName(kList[0].title) != nullptr;
        draw_panels(workspace, session, selection, commands);
        if (were_drawn && --workspace.fronts <= 0) workspace.focus.clear();
    }
    draw_finder(workspace.finder, session, selection, commands);
    draw_status_bar(session, selection);
    watch_layout(workspace.desks);
    selection.hovered = selection.hovering;
    selection.hovering = {};
}

}  // namespace wl::app
