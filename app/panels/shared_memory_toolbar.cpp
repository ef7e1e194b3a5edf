// What the grids show and how: colours, the lanes of an access, what other rows would cost.
#include "app/panels/shared_memory.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace wl::app {

namespace {

void swizzle_fields(SharedMemoryPanel& panel, ImVec2 at) {
    constexpr std::array<const char*, 3> kNames = {"shared/bits", "shared/base", "shared/shift"};
    for (size_t k = 0; k < kNames.size(); ++k) {
        auto value = static_cast<float>(panel.swizzle[k]);
        if (number_field(at, px(34), kNames[k], value))
            panel.swizzle[k] = std::clamp(static_cast<int>(value), 0, 8);
        at.x += px(38);
    }
    panel.swizzle[2] = std::max(panel.swizzle[2], panel.swizzle[0]);
}

void draw_access(SharedMemoryPanel& panel, const SharedReport& report, Groups& groups) {
    toggle(groups.place(toggle_width("Access")), "shared/lanes", "Access", panel.lanes);
    if (report.requests.size() > 1) {
        const ImVec2 at = groups.place(px(51));
        if (button(at, "shared/back", "‹", {.width = px(24)})) --panel.request;
        if (button({at.x + px(27), at.y}, "shared/forward", "›", {.width = px(24)})) ++panel.request;
    }
    if (!panel.lanes) return;
    constexpr std::array<std::string_view, 3> kChanges = {"Given", "Pad", "Swizzle"};
    panel.what_if =
        segmented(groups.place(segmented_width(kChanges)), {"shared/what-if", kChanges, panel.what_if});
    if (panel.what_if == 1 && number_field(groups.place(px(44)), px(44), "shared/pad", panel.pad))
        panel.pad = std::clamp(panel.pad, 0.0F, 256.0F);
    if (panel.what_if == 2) swizzle_fields(panel, groups.place(px(110)));
}

}  // namespace

float draw_toolbar(SharedMemoryPanel& panel, const SharedReport* report, Box box) {
    Groups groups = groups_in(box);
    constexpr std::array<std::string_view, 6> kColours = {"State", "Warp", "Lane", "Age", "Writers", "Value"};
    panel.colour = static_cast<SharedColour>(segmented(
        groups.place(segmented_width(kColours)), {"shared/colour", kColours, static_cast<int>(panel.colour)}
    ));
    toggle(groups.place(toggle_width("Transposed")), "shared/transposed", "Transposed", panel.transposed);
    if (report != nullptr && !report->requests.empty()) draw_access(panel, *report, groups);
    return toolbar_height(groups, box);
}

}  // namespace wl::app
