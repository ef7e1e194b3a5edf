// Where panels are docked: which of them a workspace shows, which it folds away, and the layout for a
// window's size.
#pragma once

#include "app/desks.h"
#include "app/strips.h"

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wl::app {

// centre_right: of a workspace that shows two panels where heatmaps are else, beside each other;
// centre_below: a third below that one.
enum class Dock : uint8_t {
    left,
    centre,
    centre_right,
    centre_below,
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

// Of a panel in Compare.
struct PanelPlace {
    const char* title;
    Dock wide, narrow;
};

// Compare shows all panels; the others show what their task needs, and fold the rest away.
constexpr bool shows_all(Desk desk) { return desk == Desk::compare; }
bool is_folded(Desk desk, std::string_view title);
std::vector<Folded> folded_of(Desk desk);
std::vector<std::string_view> task_of(Desk desk);  // titles of what it is for, without the timeline
// Titles in front of their tabs at first, of several in one place the last.
std::vector<std::string> front_of(Desk desk, Shape shape);

// The dock layout of a workspace for a window's size.
void build_layout(
    unsigned dock_space, ImVec2 extent, Shape shape, Desk desk, std::span<const PanelPlace> panels
);

}  // namespace wl::app
