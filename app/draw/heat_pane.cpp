// Draws over the heatmap with Dear ImGui's draw list; only what is visible is visited.
#include "app/draw/heat_pane.h"

#include "app/draw/numbers.h"

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

constexpr float kHistogramFrom = 300;  // pixels at scale 1: a pane of that height has room for a histogram
constexpr size_t kMostRings = 32;
constexpr float kCornersFrom = 12;  // pixels a cell for the red corner of a wrong element

// What of the area the matrix leaves free; blending under the heatmap itself would cost as much as the
// heatmap.
void draw_surroundings(const HeatPane& pane, Box heat) {
    const Plane& values = pane.layer->values;
    const float left = std::clamp(x_at_col(pane.view, heat.low, 0), heat.low.x, heat.high.x),
                right = std::clamp(x_at_col(pane.view, heat.low, values.cols), left, heat.high.x),
                top = std::clamp(y_at_row(pane.view, heat.low, 0), heat.low.y, heat.high.y),
                bottom = std::clamp(y_at_row(pane.view, heat.low, values.rows), top, heat.high.y);
    const Box free[] = {
        {heat.low,            {left, heat.high.y} },
        {{right, heat.low.y}, heat.high           },
        {{left, heat.low.y},  {right, top}        },
        {{left, bottom},      {right, heat.high.y}}
    };
    for (const Box& box : free) {
        if (box.width() <= 0 || box.height() <= 0) continue;
        ImGui::GetWindowDrawList()->AddRectFilled(box.low, box.high, colour::kBar);
    }
}

struct CellRange {
    int row = 0, col = 0, row_end = 0, col_end = 0;
};
CellRange visible_cells(const HeatPane& pane, Box heat) {
    const Plane& values = pane.layer->values;
    const Element low = element_at_pixel(pane.view, heat.low, heat.low),
                  high = element_at_pixel(pane.view, heat.low, heat.high);
    return {
        std::clamp(low.row, 0, values.rows),
        std::clamp(low.col, 0, values.cols),
        std::clamp(high.row + 1, 0, values.rows),
        std::clamp(high.col + 1, 0, values.cols)};
}

Box cell_box(const HeatPane& pane, Box heat, Element at) {
    return {
        {x_at_col(pane.view, heat.low, at.col),     y_at_row(pane.view, heat.low, at.row)    },
        {x_at_col(pane.view, heat.low, at.col + 1), y_at_row(pane.view, heat.low, at.row + 1)}
    };
}

// Text over the stripes of a NaN has one colour under it.
void draw_plate(ImVec2 centre, Face face, std::string_view text, ImU32 fill) {
    const ImVec2 extent = measure(face, text);
    const ImVec2 half(extent.x / 2 + px(2), extent.y / 2);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y}, fill
    );
}

void draw_numbers(const HeatPane& pane, Box heat) {
    const auto width = static_cast<float>(pane.view.cell_width);
    const Face face = width >= px(44) ? Face::small_numbers : Face::tiny_numbers;
    const float character = measure(face, "0").x;
    const int room = std::min(12, static_cast<int>((width - px(3)) / character));
    if (room < 2) return;
    const CellRange cells = visible_cells(pane, heat);
    for (int row = cells.row; row < cells.row_end; ++row) {
        for (int col = cells.col; col < cells.col_end; ++col) {
            const float shown = pane.layer->values(row, col);
            const bool legal = is_masked(shown);
            if (is_absent(shown) && !legal) continue;
            const auto value = legal ? static_cast<float>(pane.tile->data.got(row, col)) : shown;
            const Box box = cell_box(pane, heat, {row, col});
            const ImVec2 centre((box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2);
            const ImU32 fill = heat_colour(pane.style, value);
            const std::string text = cell_number(value, room);
            if (std::isnan(value)) draw_plate(centre, face, text, fill);
            put_centred(centre, {face, legal ? ImU32{colour::kDim} : colour::ink_on(fill)}, text);
        }
    }
}

void draw_owner_names(const HeatPane& pane, Box heat) {
    const CellRange cells = visible_cells(pane, heat);
    for (int row = cells.row; row < cells.row_end; ++row) {
        for (int col = cells.col; col < cells.col_end; ++col) {
            const capture::Owner owner = pane.tile->data.owner(row, col);
            if (owner.warp == capture::Owner::kNobody) continue;
            const Box box = cell_box(pane, heat, {row, col});
            const ImU32 ink = colour::ink_on(heat_colour(pane.style, pane.layer->values(row, col)));
            put_centred(
                {(box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2},
                {Face::tiny_numbers, ink},
                "l" + std::to_string(owner.lane)
            );
        }
    }
}

void draw_corners(const HeatPane& pane, Box heat) {
    if (!has_reference(*pane.tile) || (pane.tile->measured && pane.tile->wrong_count == 0)) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const CellRange cells = visible_cells(pane, heat);
    const float side = std::min(px(7), static_cast<float>(pane.view.cell_width) / 3);
    for (int row = cells.row; row < cells.row_end; ++row) {
        for (int col = cells.col; col < cells.col_end; ++col) {
            if (!is_wrong(pane.tile->data, row, col)) continue;
            const Box box = cell_box(pane, heat, {row, col});
            list->AddTriangleFilled(
                {box.high.x - side, box.low.y},
                {box.high.x, box.low.y},
                {box.high.x, box.low.y + side},
                colour::kBad
            );
        }
    }
}

ImU32 colour_of_non_finite(float value) {
    if (std::isnan(value)) return colour::of(kNotANumber);
    return colour::of(value > 0 ? kPositiveInfinity : kNegativeInfinity);
}

void draw_rings(const HeatPane& pane, Box heat) {
    // Many are seen without rings, and who wrote an element does not depend on its value.
    const bool ringed = pane.view.cell_width < kCornersFrom && pane.style.map != HeatMap::owners;
    if (!ringed || pane.tile->non_finite.size() > kMostRings) return;
    for (const Element at : pane.tile->non_finite) {
        const Box box = cell_box(pane, heat, at);
        const auto value = static_cast<float>(pane.tile->data.got(at.row, at.col));
        const ImVec2 centre((box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2);
        ImGui::GetWindowDrawList()->AddCircle(centre, px(7), colour_of_non_finite(value), 20, px(1.5F));
    }
}

// A step of the ruler: the power of two (from 1) whose labels stand at least `room` pixels apart.
int ruler_step(double cell, float room) {
    int step = 1;
    while (step * cell < room && step < (1 << 28)) step *= 2;
    return step;
}

void tab(ImVec2 centre, const std::string& text) {
    const ImVec2 extent = measure(Face::small_numbers, text);
    const ImVec2 half(extent.x / 2 + px(4), px(8));
    covers({centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y});
    ImGui::GetWindowDrawList()->AddRectFilled(
        {centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y}, colour::kBright, px(2)
    );
    put_centred(centre, {Face::small_numbers, colour::kBar}, text);
}

void draw_column_ruler(const HeatPane& pane, const PaneBoxes& boxes) {
    const CellRange cells = visible_cells(pane, boxes.heat);
    const float label = measure(Face::small_numbers, std::to_string(cells.col_end)).x;
    const int step = ruler_step(pane.view.cell_width, std::max(px(30), label + px(12)));
    const float y = (boxes.columns.low.y + boxes.columns.high.y) / 2;
    const bool tabbed = pane.hovered.col >= cells.col && pane.hovered.col < cells.col_end;
    const float tab_x = x_at_col(pane.view, boxes.heat.low, pane.hovered.col + 0.5);
    for (int col = (cells.col + step - 1) / step * step; col < cells.col_end; col += step) {
        const float x = x_at_col(pane.view, boxes.heat.low, col + 0.5);
        const bool hidden =
            (tabbed && std::abs(x - tab_x) < px(26)) || x < boxes.heat.low.x || x > boxes.heat.high.x - px(4);
        if (!hidden) put_centred({x, y}, {Face::small_numbers, colour::kFaint}, std::to_string(col));
    }
    if (tabbed) tab({tab_x, y}, std::to_string(pane.hovered.col));
}

void draw_row_ruler(const HeatPane& pane, const PaneBoxes& boxes) {
    const CellRange cells = visible_cells(pane, boxes.heat);
    const int step = ruler_step(pane.view.cell_height, px(26));
    const bool tabbed = pane.hovered.row >= cells.row && pane.hovered.row < cells.row_end;
    const float tab_y = y_at_row(pane.view, boxes.heat.low, pane.hovered.row + 0.5);
    for (int row = (cells.row + step - 1) / step * step; row < cells.row_end; row += step) {
        const float y = y_at_row(pane.view, boxes.heat.low, row + 0.5);
        const bool hidden = (tabbed && std::abs(y - tab_y) < px(17)) || y < boxes.heat.low.y + px(3) - 4 ||
            y > boxes.heat.high.y;
        if (hidden) continue;
        const std::string text = std::to_string(row);
        put({boxes.rows.high.x - px(5) - measure(Face::small_numbers, text).x,
             y - line_height(Face::small_numbers) / 2},
            {Face::small_numbers, colour::kFaint},
            text);
    }
    if (!tabbed) return;
    const std::string text = std::to_string(pane.hovered.row);
    tab({boxes.rows.high.x - px(6) - measure(Face::small_numbers, text).x / 2, tab_y}, text);
}

void draw_crosshair(const HeatPane& pane, Box heat) {
    if (!exists(pane.hovered)) return;
    const Box box = cell_box(pane, heat, pane.hovered);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (pane.view.cell_width < kNumbersFrom) {
        const ImU32 line = colour::hex(0xffffff, 96);
        const float x = (box.low.x + box.high.x) / 2, y = (box.low.y + box.high.y) / 2;
        hairline({x, heat.low.y}, {x, heat.high.y}, line);
        hairline({heat.low.x, y}, {heat.high.x, y}, line);
    }
    const float grow = pane.view.cell_width < 6 ? 2 : 0;
    list->AddRect(
        {box.low.x - grow, box.low.y - grow}, {box.high.x + grow, box.high.y + grow}, colour::hex(0xffffff)
    );
}

void draw_selected(const HeatPane& pane, Box heat) {
    if (!exists(pane.selected)) return;
    Box box = cell_box(pane, heat, pane.selected);
    const float least = px(8);
    const ImVec2 centre((box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2);
    const float half_width = std::max(box.width(), least) / 2,
                half_height = std::max(box.height(), least) / 2;
    box = {
        {centre.x - half_width, centre.y - half_height},
        {centre.x + half_width, centre.y + half_height}
    };
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRect(
        {box.low.x - 1, box.low.y - 1},
        {box.high.x + 1, box.high.y + 1},
        colour::hex(0x000000, 170),
        0,
        0,
        px(3)
    );
    list->AddRect(box.low, box.high, colour::kSelection, 0, 0, px(1.5F));
}

}  // namespace

PaneBoxes pane_boxes(Box pane) {
    const float ruler = px(18), side = px(34), right = px(size::kPad);
    const float bar = px(pane.height() >= px(kHistogramFrom) ? kBarHeight + kHistogramHeight : kBarHeight);
    PaneBoxes boxes;
    boxes.heat = {
        {pane.low.x + side,            pane.low.y + ruler},
        { std::max(pane.low.x + side, pane.high.x - right), std::max(pane.low.y + ruler, pane.high.y - bar)}
    };
    boxes.columns = {
        {boxes.heat.low.x,  pane.low.y      },
        {boxes.heat.high.x, boxes.heat.low.y}
    };
    boxes.rows = {
        {pane.low.x,       boxes.heat.low.y },
        {boxes.heat.low.x, boxes.heat.high.y}
    };
    boxes.bar = {
        {boxes.heat.low.x,  boxes.heat.high.y + px(8)},
        {boxes.heat.high.x, pane.high.y              }
    };
    return boxes;
}

ImU32 heat_colour(const HeatStyle& style, float value) {
    if (style.map == HeatMap::owners)
        return value < 0 ? colour::kPanel : colour::of(owner_palette()[static_cast<size_t>(value)]);
    if (is_absent(value)) return colour::kPanel;
    if (!std::isfinite(value)) return colour_of_non_finite(value);
    return colour::of(palette_of(ramp_of(style))[palette_index(style, value)]);
}

void draw_marks(const HeatPane& pane, Box heat) {
    ImGui::PushClipRect({heat.low.x - 1, heat.low.y - 1}, {heat.high.x + 1, heat.high.y + 1}, true);
    if (std::min(pane.view.cell_width, pane.view.cell_height) >= kCornersFrom) draw_corners(pane, heat);
    draw_rings(pane, heat);
    draw_selected(pane, heat);
    draw_crosshair(pane, heat);
    ImGui::PopClipRect();
}

void draw_pane(HeatRenderer& renderer, HeatCanvas& canvas, const HeatPane& pane, const PaneBoxes& boxes) {
    const Box heat = boxes.heat;
    if (heat.width() < px(8) || heat.height() < px(8)) return;
    draw_surroundings(pane, heat);
    HeatLayer layer{&pane.layer->values, &pane.layer->pyramid, pane.content, nullptr, nullptr};
    if (pane.layer == &pane.tile->got && has_reference(*pane.tile) && pane.layer->figures.nan > 0) {
        layer.under = &pane.tile->reference.values;
        layer.under_pyramid = &pane.tile->reference.pyramid;
    }
    draw_heat(
        renderer,
        canvas,
        {
            layer, pane.style, pane.view, heat.low, {heat.width(), heat.height()}
    }
    );
    const double cell = std::min(pane.view.cell_width, pane.view.cell_height * 1.5);
    if (cell >= px(kNumbersFrom) && pane.view.cell_height >= px(11)) {
        ImGui::PushClipRect(heat.low, heat.high, true);
        if (pane.style.map == HeatMap::owners) {
            draw_owner_names(pane, heat);
        } else {
            draw_numbers(pane, heat);
        }
        ImGui::PopClipRect();
    }
    draw_marks(pane, heat);
    draw_column_ruler(pane, boxes);
    draw_row_ruler(pane, boxes);
}

}  // namespace wl::app
