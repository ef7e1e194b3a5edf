// Two matrices in one place: a slider between them, one shining through the other, or a key that flips.
#include "app/panels/heatmaps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace wl::app {

namespace {

const Layer& second_of(const HeatmapsPanel& panel, const TileView& tile) {
    return panel.flipped ? tile.got : tile.reference;
}

// What lies where, at the upper corners.
void draw_names(const HeatmapsPanel& panel, const TileView& tile, Box heat) {
    std::array<const char*, 2> names = tile.names;
    if (panel.flipped) std::swap(names[0], names[1]);
    const auto plate = [](ImVec2 low, const char* text, ImU32 ink) {
        const float width = measure(Face::small_strong, text).x + px(14);
        ImGui::GetWindowDrawList()->AddRectFilled(
            low, {low.x + width, low.y + px(20)}, colour::with_alpha(colour::kBar, 220), px(3)
        );
        put({low.x + px(7), middle(low.y, px(20), Face::small_strong)}, {Face::small_strong, ink}, text);
    };
    const std::array<ImU32, 2> inks = {colour::kGot, colour::kBright};
    plate({heat.low.x + px(6), heat.low.y + px(6)}, names[0], inks[panel.flipped ? 1 : 0]);
    if (panel.arrange == Arrange::flip) return;
    const float width = measure(Face::small_strong, names[1]).x + px(20);
    plate({heat.high.x - width, heat.low.y + px(6)}, names[1], inks[panel.flipped ? 0 : 1]);
}

// What of the heatmap the matrix covers, from left to right: over that the slider moves.
Box covered(const HeatmapsPanel& panel, int cols, Box heat) {
    const HeatView& view = panel.views[0];
    const float left = std::clamp(x_at_col(view, heat.low, 0), heat.low.x, heat.high.x);
    const float right = std::clamp(x_at_col(view, heat.low, cols), left, heat.high.x);
    return {
        {left,  heat.low.y },
        {right, heat.high.y}
    };
}

float split_x(const HeatmapsPanel& panel, int cols, Box heat) {
    const Box box = covered(panel, cols, heat);
    return box.low.x + box.width() * panel.split;
}

void draw_slider(float x, Box heat, bool hot) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ink = hot ? colour::kAccent : colour::kBright;
    list->AddRectFilled({x - px(1), heat.low.y}, {x + px(1), heat.high.y}, ink);
    const float y = (heat.low.y + heat.high.y) / 2, r = px(9);
    list->AddCircleFilled({x, y}, r, colour::kBar);
    list->AddCircle({x, y}, r, ink, 0, px(1.5F));
    for (const float side : {-1.0F, 1.0F})
        list->AddTriangleFilled(
            {x + side * px(6), y}, {x + side * px(2), y - px(3)}, {x + side * px(2), y + px(3)}, ink
        );
}

}  // namespace

void drag_split(HeatmapsPanel& panel, int cols, Box heat) {
    if (panel.arrange != Arrange::split) return;
    const Box box = covered(panel, cols, heat);
    const float x = split_x(panel, cols, heat);
    press(
        {
            {x - px(7), heat.low.y },
            {x + px(7), heat.high.y}
    },
        "heat/split"
    );
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsItemActive() && box.width() > 0)
        panel.split = std::clamp((ImGui::GetIO().MousePos.x - box.low.x) / box.width(), 0.0F, 1.0F);
}

void draw_second(HeatmapsPanel& panel, const TileView& tile, HeatPane pane, const PaneBoxes& boxes) {
    const Box heat = boxes.heat;
    pane.layer = &second_of(panel, tile);
    pane.content = tile.content * 8 + (panel.flipped ? 0 : 1);
    HeatCanvas& canvas = panel.canvases[1];
    if (panel.arrange == Arrange::split) {
        const float x = split_x(panel, tile.data.cols, heat);
        ImGui::PushClipRect({x, heat.low.y}, heat.high, true);
        draw_pane(ui().heat, canvas, pane, boxes);
        ImGui::PopClipRect();
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        draw_slider(x, heat, std::abs(mouse.x - x) < px(7) && mouse.y > heat.low.y && mouse.y < heat.high.y);
    } else if (panel.arrange == Arrange::blend) {
        draw_heat(
            ui().heat,
            canvas,
            {
                {&pane.layer->values, &pane.layer->pyramid, pane.content},
                pane.style,
                pane.view,
                heat.low,
                {heat.width(),                   heat.height()                           },
                panel.blend
        }
        );
        draw_marks(pane, heat);
    }
    draw_names(panel, tile, heat);
}

}  // namespace wl::app
