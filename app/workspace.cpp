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
    {"Ownership",     Dock::right_top,    Dock::right_top,   [](W w, S s, C c, A) { draw(w.ownership, s, c); }         },
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

constexpr float kTimeline[] = {222, 206, 196}, kBelow[] = {292, 196, 0};  // heights by Shape
constexpr float kCentre[] = {400, 424};  // so much leaves a heatmap 250: tabs, toolbar, names and colour bar

Dock dock_of(const PanelEntry& panel, Shape shape) {
    if (shape == Shape::wide) return panel.wide;
    if (shape == Shape::narrow) return panel.narrow;
    switch (panel.narrow) {
        case Dock::below_left: return Dock::right;
        case Dock::below_middle:
        case Dock::below_right: return Dock::right_top;
        default: return panel.narrow;
    }
}

ImGuiID split(ImGuiID& node, ImGuiDir direction, float share) {
    return ImGui::DockBuilderSplitNode(node, direction, std::clamp(share, 0.05F, 0.9F), nullptr, &node);
}

}  // namespace

const char* panel_title(int panel) { return kList[panel].title; }

void show_panel(Workspace& workspace, const std::string& title) {
    for (int panel = 0; panel < kPanels; ++panel)
        if (title == kList[panel].title) workspace.open[static_cast<size_t>(panel)] = true;
    workspace.focus = title;
    workspace.at_home = false;
}

Shape shape_of(float width, float height) {
    const Shape shape = width >= px(kWideFrom) ? Shape::wide : Shape::narrow;
    const auto i = static_cast<size_t>(shape);
    return height >= px(kTimeline[i] + kBelow[i] + kCentre[i]) ? shape : Shape::low;
}

void build_layout(unsigned dock_space, float width, float height) {
    const Shape shape = shape_of(width, height);
    const bool wide = width >= px(kWideFrom);
    ImGui::DockBuilderRemoveNode(dock_space);
    ImGui::DockBuilderAddNode(
        dock_space, static_cast<int>(ImGuiDockNodeFlags_DockSpace) | ImGuiDockNodeFlags_AutoHideTabBar
    );
    ImGui::DockBuilderSetNodeSize(dock_space, {width, height});
    std::array<ImGuiID, 8> node{};
    const auto at = [&node](Dock dock) -> ImGuiID& { return node[static_cast<size_t>(dock)]; };
    const float timeline = kTimeline[static_cast<size_t>(shape)], below = kBelow[static_cast<size_t>(shape)];
    const float upper = height - px(timeline), left = wide ? 276 : 222;
    const float right = wide ? 340 : shape == Shape::low ? 320 : 268;
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
    at(Dock::centre) = rest;
    for (const PanelEntry& panel : kList)
        ImGui::DockBuilderDockWindow(panel.title, at(dock_of(panel, shape)));
    ImGui::DockBuilderFinish(dock_space);
}

namespace {

void draw_panels(Workspace& workspace, const Session& session, Selection& selection, Commands& commands) {
    const ImGuiWindowFlags still =
        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoCollapse;
    for (int panel = 0; panel < kPanels; ++panel) {
        if (!workspace.open[static_cast<size_t>(panel)]) continue;
        if (workspace.focus == kList[panel].title) ImGui::SetNextWindowFocus();
        const bool shown = ImGui::Begin(kList[panel].title, nullptr, still);
        register_tab(kList[panel].title);
        if (shown) kList[panel].draw(workspace, session, selection, commands);
        ImGui::End();
    }
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
    if (!workspace.laid_out || workspace.shape != shape) build_layout(dock_space, extent.x, extent.y);
    workspace.laid_out = true, workspace.shape = shape;
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
        if (were_drawn) workspace.focus.clear();
    }
    draw_finder(workspace.finder, session, selection, commands);
    draw_status_bar(session, selection);
    selection.hovered = selection.hovering;
    selection.hovering = {};
}

}  // namespace wl::app
