#include "app/strips.h"

#include <imgui.h>

#include <algorithm>

namespace wl::app {

namespace {

constexpr float kStrip = 26, kColumn = 372;  // pixels at scale 1

// Read from below to above.
void put_turned(ImVec2 centre, TextStyle style, std::string_view text) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 extent = measure(style.face, text), at(px(200), px(100));
    // Dear ImGui leaves glyphs out that lie outside the clip: they are written inside it and moved.
    list->PushClipRectFullScreen();
    const int first = list->VtxBuffer.Size;
    list->AddText(
        font_of(style.face), font_size(style.face), at, style.colour, text.data(), text.data() + text.size()
    );
    for (int i = first; i < list->VtxBuffer.Size; ++i) {
        ImVec2& pos = list->VtxBuffer[i].pos;
        const ImVec2 from(pos.x - at.x - extent.x / 2, pos.y - at.y - extent.y / 2);
        pos = {centre.x + from.y, centre.y - from.x};
    }
    list->PopClipRect();
}

std::string control_of(const char* title) {
    std::string name = std::string("tab/") + title;
    std::ranges::replace(name, ' ', '-');
    return name;
}

bool is_mouse_in(Box box) { return ImGui::IsMouseHoveringRect(box.low, box.high, false); }

// True: the mouse is over one of the names.
bool draw_side(Strips& strips, std::span<const Folded> folded, Side side, Box strip) {
    bool over = false;
    const std::string id = side == Side::left ? "##strip-left" : "##strip-right";
    ImGui::SetNextWindowPos(strip.low);
    ImGui::SetNextWindowSize({strip.width(), strip.height()});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::Begin(
        id.c_str(),
        nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
            ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav |
            ImGuiWindowFlags_NoFocusOnAppearing
    );
    ImGui::PopStyleVar();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(strip.low, strip.high, colour::kBar);
    float y = strip.low.y + px(6);
    for (const Folded& each : folded) {
        if (each.side != side) continue;
        const float height = measure(Face::small_words, each.title).x + px(18);
        if (y + height > strip.high.y) break;
        const Box tab{
            {strip.low.x,  y         },
            {strip.high.x, y + height}
        };
        const bool open = strips.open == each.title;
        if (press(tab, control_of(each.title))) {
            const bool shut = open && strips.pinned;
            strips = {shut ? "" : each.title, !shut};
        }
        const bool hot = ImGui::IsItemHovered();
        if (hot && !strips.pinned) strips.open = each.title;
        over = over || hot;
        if (open || hot) list->AddRectFilled(tab.low, tab.high, colour::kRaised, px(3));
        put_turned(
            {(tab.low.x + tab.high.x) / 2, (tab.low.y + tab.high.y) / 2},
            {Face::small_words, open ? colour::kBright : colour::kDim},
            each.title
        );
        y += height + px(2);
    }
    const float edge = side == Side::left ? strip.high.x - 1 : strip.low.x;
    hairline({edge, strip.low.y}, {edge, strip.high.y});
    ImGui::End();
    return over;
}

}  // namespace

float strip_width() { return px(kStrip); }

Box box_of(const Folded& folded, Box area) {
    const float left = area.low.x + strip_width(), right = area.high.x - strip_width();
    const float width = folded.wide ? (right - left) * 0.66F : std::min(px(kColumn), right - left);
    if (folded.side == Side::left)
        return {
            {left,         area.low.y },
            {left + width, area.high.y}
        };
    return {
        {right - width, area.low.y },
        {right,         area.high.y}
    };
}

void draw_strips(Strips& strips, std::span<const Folded> folded, Box area) {
    const float width = strip_width();
    const Box left{
        area.low, {area.low.x + width, area.high.y}
    },
        right{{area.high.x - width, area.low.y}, area.high};
    bool over = draw_side(strips, folded, Side::left, left);
    over |= draw_side(strips, folded, Side::right, right);
    if (strips.open.empty()) return;
    const auto open =
        std::ranges::find(folded, strips.open, [](const Folded& f) { return std::string(f.title); });
    if (open == folded.end()) {
        strips = {};
        return;
    }
    const bool away = !over && !is_mouse_in(box_of(*open, area)) &&
        !ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
        !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    const bool escape = !ImGui::GetIO().WantTextInput && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
    if ((away && !strips.pinned) || escape) strips = {};
}

}  // namespace wl::app
