// Marks have places of their own, so that none hides another.
#include "app/draw/lanes/gutter.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace wl::app {

namespace {

constexpr float kFinding = 45, kWarps = 5, kNumber = 82, kWriter = 89;  // pixels at scale 1

// A flag behind the number; hollow when it has a condition.
void draw_breakpoint(const Breakpoint& breakpoint, Box box, float number_right) {
    const ImVec2 low(number_right - px(30), box.low.y + px(2)),
        high(number_right + px(4), box.high.y - px(2));
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(
        low, high, colour::with_alpha(colour::kAccent, breakpoint.condition.empty() ? 200 : 70), px(3)
    );
    list->AddRect(low, high, colour::kAccent, px(3));
}

// "0-7", "1,4-6", each warp once.
std::string runs_of(const std::vector<const WarpRow*>& warps) {
    std::string text;
    for (size_t first = 0; first < warps.size();) {
        size_t last = first;
        while (last + 1 < warps.size() && warps[last + 1]->warp <= warps[last]->warp + 1) ++last;
        const int low = warps[first]->warp, high = warps[last]->warp;
        text += (text.empty() ? "" : ",") + std::to_string(low);
        if (high != low) text += "-" + std::to_string(high);
        first = last + 1;
    }
    return text;
}

std::string tip_of(const std::vector<const WarpRow*>& warps) {
    std::string text;
    for (const WarpRow* w : warps) {
        if (!text.empty()) text += '\n';
        text += "warp " + std::to_string(w->warp) + " stands here";
        if (!w->waits.empty()) text += " and waits for " + w->waits;
    }
    return text + "\na click leads to it";
}

Box place_of_warps(Box line) {
    return {
        {line.low.x + px(kWarps),    line.low.y + px(1) },
        {line.low.x + px(kWarpsEnd), line.high.y - px(1)}
    };
}

void draw_warps(const LineLook& look, Box place, int selected) {
    const auto is_selected = [&](const WarpRow* w) { return w->warp == selected; };
    const auto waits = [](const WarpRow* w) { return !w->waits.empty(); };
    const bool own = std::any_of(look.warps.begin(), look.warps.end(), is_selected),
               waiting = std::all_of(look.warps.begin(), look.warps.end(), waits);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(place.low, place.high, colour::kRaised, px(3));
    if (waiting) list->AddRect(place.low, place.high, colour::kWarning, px(3));
    put_clipped(
        {place.low.x + px(3), middle(place.low.y, place.high.y - place.low.y, Face::tiny_numbers)},
        place.width() - px(4),
        {Face::tiny_numbers, own ? colour::kSelection : colour::kText},
        runs_of(look.warps)
    );
}

}  // namespace

int press_warps(const LineLook& look, Box line, int selected_warp) {
    if (look.warps.empty()) return -1;
    const bool pressed = press(place_of_warps(line), "source/warps/" + std::to_string(look.line));
    if (ImGui::IsItemHovered()) tooltip(tip_of(look.warps));
    if (!pressed) return -1;
    const auto next = std::find_if(look.warps.begin(), look.warps.end(), [&](const WarpRow* w) {
        return w->warp > selected_warp;
    });
    return next != look.warps.end() ? (*next)->warp : look.warps.front()->warp;
}

void draw_gutter(const LineLook& look, Box box, int selected_warp) {
    const float y = (box.low.y + box.high.y) / 2, number_right = box.low.x + px(kNumber);
    const ImU32 ink = look.breakpoint != nullptr || look.current ? colour::kBright : colour::kFaint;
    if (look.breakpoint != nullptr) draw_breakpoint(*look.breakpoint, box, number_right);
    put_right(
        {number_right, middle(box.low.y, box.height(), Face::small_numbers)},
        {Face::small_numbers, ink},
        std::to_string(look.line)
    );
    if (look.finding != nullptr) dot({box.low.x + px(kFinding), y}, px(4), colour::kBad);
    if (!look.warps.empty()) draw_warps(look, place_of_warps(box), selected_warp);
    if (!look.writer) return;
    const float x = box.low.x + px(kWriter), r = px(4);
    ImGui::GetWindowDrawList()->AddTriangleFilled({x, y - r}, {x + r * 1.3F, y}, {x, y + r}, colour::kGot);
}

void draw_background(const LineLook& look, Box box) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (look.finding != nullptr) list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kBad, 26));
    if (look.call) list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 16));
    if (!look.current) return;
    list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 40));
    list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, colour::kSelection);
}

}  // namespace wl::app
