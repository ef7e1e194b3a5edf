// The workspaces' own tables, and Dear ImGui's dock builder.
#include "app/docking.h"

#include "app/draw/ui.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace wl::app {

namespace {

constexpr float kWideFrom = 1700;  // pixels at scale 1: below the heatmaps three columns, else two with tabs

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
    {Desk::step,    "Source",        Dock::centre,       true },
    {Desk::step,    "Lanes",         Dock::centre_right, true },
    {Desk::step,    "Shared memory", Dock::centre_below, true },
    {Desk::step,    "Timeline",      Dock::bottom,       true },
    {Desk::layout,  "Shared memory", Dock::centre,       false},
    {Desk::layout,  "Banks",         Dock::centre,       false},
    {Desk::layout,  "Fragments",     Dock::centre,       true },
    {Desk::layout,  "Timeline",      Dock::bottom,       true },
    {Desk::learn,   "Learn",         Dock::centre,       true },
    {Desk::learn,   "Lanes",         Dock::centre_right, false},
    {Desk::learn,   "Heatmaps",      Dock::centre_right, false},
    {Desk::learn,   "Fragments",     Dock::centre_right, false},
    {Desk::learn,   "Shared memory", Dock::centre_right, false},
    {Desk::learn,   "Source",        Dock::centre_right, true },
    {Desk::learn,   "Timeline",      Dock::bottom,       true },
};

const DeskPanel* own_of(Desk desk, std::string_view title) {
    for (const DeskPanel& own : kDeskPanels)
        if (own.desk == desk && own.title == title) return &own;
    return nullptr;
}

constexpr Folded kFolded[] = {
    {"Tiles",         Side::left,  false},
    {"Findings",      Side::left,  false},
    {"Compare",       Side::left,  false},
    {"Source",        Side::left,  true },
    {"Learn",         Side::left,  true },
    {"Element",       Side::right, false},
    {"Heatmaps",      Side::right, true },
    {"Lanes",         Side::right, true },
    {"Fragments",     Side::right, true },
    {"Provenance",    Side::right, true },
    {"Ownership",     Side::right, false},
    {"Errors",        Side::right, false},
    {"Banks",         Side::right, true },
    {"Shared memory", Side::right, true },
};
Dock dock_of(const PanelPlace& panel, Shape shape) {
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

ImGuiID split(ImGuiID& node, ImGuiDir direction, float share) {
    return ImGui::DockBuilderSplitNode(node, direction, std::clamp(share, 0.05F, 0.9F), nullptr, &node);
}

constexpr float kScrubber = 112;                 // pixels at scale 1: the timeline where it is not the task
constexpr float kReading = 232 + 12 + 640 + 48;  // of Learn: its list, and lines of text as wide as they get

using Nodes = std::array<ImGuiID, 10>;
ImGuiID& at(Nodes& nodes, Dock dock) { return nodes[static_cast<size_t>(dock)]; }

// Everything in its place around the heatmaps.
void build_around(Nodes& nodes, ImGuiID rest, ImVec2 extent, Shape shape) {
    const auto [width, height] = extent;
    const bool wide = width >= px(kWideFrom);
    const float below = kBelow[static_cast<size_t>(shape)], most = kTimeline[static_cast<size_t>(shape)];
    const float timeline = shape == Shape::low ? std::min(most, kLowTimeline * height / px(1)) : most;
    const float upper = height - px(timeline), left = left_width(shape), right = right_width(shape);
    const float top = shape == Shape::low ? upper * 0.52F : px(wide ? 240 : 190);
    at(nodes, Dock::bottom) = split(rest, ImGuiDir_Down, px(timeline) / height);
    at(nodes, Dock::left) = split(rest, ImGuiDir_Left, px(left) / width);
    at(nodes, Dock::right) = split(rest, ImGuiDir_Right, px(right) / (width - px(left)));
    at(nodes, Dock::right_top) = split(at(nodes, Dock::right), ImGuiDir_Up, top / upper);
    if (shape != Shape::low) {
        ImGuiID low = split(rest, ImGuiDir_Down, px(below) / upper);
        if (wide)
            at(nodes, Dock::below_right) = split(low, ImGuiDir_Right, px(372) / (width - px(left + right)));
        at(nodes, Dock::below_left) = split(low, ImGuiDir_Left, wide ? 0.47F : 0.44F);
        at(nodes, wide ? Dock::below_middle : Dock::below_right) = low;
    }
    at(nodes, Dock::centre) = rest;
}

// The panels of the task, and the timeline as a scrubber below them.
void build_task(Nodes& nodes, ImGuiID rest, ImVec2 extent, Desk desk) {
    at(nodes, Dock::bottom) = split(rest, ImGuiDir_Down, px(kScrubber) / extent.y);
    if (desk == Desk::step) {
        at(nodes, Dock::centre_right) = split(rest, ImGuiDir_Right, 0.58F);
        at(nodes, Dock::centre_below) = split(at(nodes, Dock::centre_right), ImGuiDir_Down, 0.46F);
    } else if (desk == Desk::learn) {
        const float live = std::clamp(1 - px(kReading) / extent.x, 0.2F, 0.56F);
        at(nodes, Dock::centre_right) = split(rest, ImGuiDir_Right, live);
    }
    at(nodes, Dock::centre) = rest;
}

}  // namespace

bool is_folded(Desk desk, std::string_view title) {
    return !shows_all(desk) && own_of(desk, title) == nullptr;
}

std::vector<Folded> folded_of(Desk desk) {
    std::vector<Folded> out;
    for (const Folded& each : kFolded)
        if (is_folded(desk, each.title)) out.push_back(each);
    return out;
}

std::vector<std::string_view> task_of(Desk desk) {
    std::vector<std::string_view> out;
    for (const DeskPanel& own : kDeskPanels)
        if (own.desk == desk && own.title != "Timeline") out.push_back(own.title);
    return out;
}

std::vector<std::string> front_of(Desk desk, Shape shape) {
    std::vector<std::string> out;
    for (const DeskPanel& own : kDeskPanels) {
        if (own.desk != desk || !own.front) continue;
        const bool elsewhere = shows_all(desk) && shape == Shape::low && own.dock == Dock::below_left;
        if (!elsewhere) out.emplace_back(own.title);
    }
    return out;
}

Shape shape_of(float width, float height) {
    const Shape shape = width >= px(kWideFrom) ? Shape::wide : Shape::narrow;
    const auto i = static_cast<size_t>(shape);
    return height >= px(kTimeline[i] + kBelow[i] + kCentre[i]) ? shape : Shape::low;
}

void build_layout(
    unsigned dock_space, ImVec2 extent, Shape shape, Desk desk, std::span<const PanelPlace> panels
) {
    ImGui::DockBuilderRemoveNode(dock_space);
    ImGui::DockBuilderAddNode(
        dock_space, static_cast<int>(ImGuiDockNodeFlags_DockSpace) | ImGuiDockNodeFlags_AutoHideTabBar
    );
    ImGui::DockBuilderSetNodeSize(dock_space, extent);
    Nodes nodes{};
    if (shows_all(desk))
        build_around(nodes, dock_space, extent, shape);
    else
        build_task(nodes, dock_space, extent, desk);
    for (const PanelPlace& panel : panels) {
        if (is_folded(desk, panel.title)) continue;
        const DeskPanel* own = own_of(desk, panel.title);
        const bool moves = own != nullptr && (!shows_all(desk) || shape != Shape::low);
        ImGui::DockBuilderDockWindow(panel.title, at(nodes, moves ? own->dock : dock_of(panel, shape)));
    }
    ImGui::DockBuilderFinish(dock_space);
}

}  // namespace wl::app
