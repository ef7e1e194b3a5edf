// The matrix with its rulers, and the lanes with their registers.
#include "app/draw/fragment_grids.h"

#include "app/draw/numbers.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

constexpr float kRuler = 24, kTitle = 18;  // pixels at scale 1

ImU32 value_fill(const FragmentOperandView& view, double value) {
    if (std::isnan(value)) return colour::of(kNotANumber);
    if (std::isinf(value)) return colour::of(value > 0 ? kPositiveInfinity : kNegativeInfinity);
    if (!(view.high > view.low)) return colour::of(viridis()[kPaletteSize / 2]);
    const double share = (value - view.low) / (view.high - view.low);
    return colour::of(viridis()[static_cast<size_t>(std::lround(share * (kPaletteSize - 1)))]);
}

ImU32 error_fill(const FragmentOperandView& view, size_t k, double value) {
    if (view.should.empty() || std::isnan(view.should[k])) return colour::kRaised;
    if (std::isnan(value)) return colour::of(kNotANumber);
    const double reach = std::max(view.high - view.low, 1e-30) / 2;
    const double share = std::clamp((value - view.should[k]) / reach, -1.0, 1.0);
    return colour::of(diverging()[static_cast<size_t>(std::lround((share + 1) / 2 * (kPaletteSize - 1)))]);
}

// As the heatmaps mark an element out of its bound.
void wrong_corner(ImVec2 low, ImVec2 high) {
    const float side = std::max(px(3), std::min(px(7), (high.x - low.x) * 0.4F));
    ImGui::GetWindowDrawList()->AddTriangleFilled(
        {high.x - side, low.y}, {high.x, low.y}, {high.x, low.y + side}, colour::kBad
    );
}

// Cells of the matrices, two or four beside each other where there are several.
struct Grid {
    ImVec2 low;
    float cell_x = 0, cell_y = 0;
    int beside = 1;
    ImVec2 corner(const FragmentLayout& l, int matrix, int row, int column) const {
        const int across = matrix % beside, down = matrix / beside;
        const float x = static_cast<float>(across * l.columns + column) * cell_x +
            static_cast<float>(across) * px(8),
                    y = static_cast<float>(down * l.rows + row) * cell_y + static_cast<float>(down) * px(14);
        return {std::floor(low.x + x), std::floor(low.y + y)};
    }
};

Grid grid_of(const FragmentLayout& l, Box box) {
    Grid g;
    g.beside = matrices_beside(l);
    const int down = (l.matrices + g.beside - 1) / g.beside;
    const float width = box.width() - px(kRuler) - static_cast<float>(g.beside - 1) * px(8),
                height = box.height() - px(kRuler) - static_cast<float>(down - 1) * px(14);
    g.cell_x = width / static_cast<float>(l.columns * g.beside);
    g.cell_y = height / static_cast<float>(l.rows * down);
    g.cell_x = std::min(g.cell_x, g.cell_y * 2.2F);
    g.cell_y = std::min(g.cell_y, g.cell_x);
    g.low = {box.low.x + px(kRuler), box.low.y + px(kRuler)};
    return g;
}

void draw_rulers(const ShownFragment& shown, const Grid& g, const FragmentPlace& lit) {
    const FragmentLayout& l = shown.operand.map.layout;
    const auto ink = [](bool on) { return on ? colour::kSelection : colour::kFaint; };
    const int column_stride = g.cell_x >= px(15) ? 1 : g.cell_x >= px(7) ? 4 : 16;
    const int row_stride = g.cell_y >= px(11) ? 1 : 4;
    for (int column = 0; column < l.columns; ++column) {
        if (column % column_stride != 0 && column != lit.column) continue;
        const ImVec2 at = g.corner(l, 0, 0, column);
        put_centred(
            {at.x + g.cell_x / 2, at.y - px(8)},
            {Face::tiny_numbers, ink(column == lit.column)},
            std::to_string(column)
        );
    }
    for (int row = 0; row < l.rows; ++row) {
        if (row % row_stride != 0 && row != lit.row) continue;
        const ImVec2 at = g.corner(l, 0, row, 0);
        put_centred(
            {at.x - px(11), at.y + g.cell_y / 2},
            {Face::tiny_numbers, ink(row == lit.row)},
            std::to_string(row)
        );
    }
}

// `marked`: wrong ones have a corner, where there is room for it.
void draw_cell(const ShownFragment& shown, ImVec2 low, ImVec2 high, const FragmentCell& cell, bool marked) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 fill = fill_of(shown, cell.lane, cell.element);
    list->AddRectFilled(low, high, fill);
    const int characters = static_cast<int>((high.x - low.x - 2) / measure(Face::tiny_numbers, "0").x);
    const double value = shown.operand.values[fragment_index(shown.operand.map, cell.lane, cell.element)];
    if (characters >= 3 && high.y - low.y >= px(11))
        put_centred(
            {(low.x + high.x) / 2, (low.y + high.y) / 2},
            {Face::tiny_numbers, colour::ink_on(fill)},
            cell_number(value, std::min(characters, 7))
        );
    if (marked && is_wrong(shown, cell.lane, cell.element)) wrong_corner(low, high);
}

// A row a lane, a column an element: those that a lane has twice once.
struct LaneGrid {
    ImVec2 low;
    float width = 0, height = 0, between = 0;  // of a cell; between registers
    int per = 1, registers = 1;                // elements a register; registers that are shown
    float left_of(int element, int reg) const {
        return std::floor(low.x + static_cast<float>(element) * width + static_cast<float>(reg) * between);
    }
    float top_of(int lane) const { return std::floor(low.y + static_cast<float>(lane) * height); }
};

LaneGrid lane_grid(const fragments::Map& map, Box box) {
    const FragmentLayout& l = map.layout;
    LaneGrid g;
    g.per = l.register_bits / l.bits;
    g.registers = std::max(1, l.distinct / g.per);
    g.between = g.registers > 1 && g.per > 1 ? px(3) : 0;
    g.low = {box.low.x + px(kRuler), box.low.y + px(kTitle - 8) + px(kRuler)};
    g.height = (box.high.y - g.low.y) / static_cast<float>(map.lanes);
    const float room = box.high.x - g.low.x - g.between * static_cast<float>(g.registers);
    g.width = std::min(px(44), room / static_cast<float>(l.distinct));
    return g;
}

// True: the mouse is over one of its elements.
bool draw_lane(FragmentHover& hover, const ShownFragment& shown, const LaneGrid& g, int lane) {
    bool under_mouse = false;
    for (const fragments::Held& h : fragments::held(shown.operand.map, lane)) {
        if (h.holder.element >= shown.operand.map.layout.distinct) continue;
        const ImVec2 low(g.left_of(h.holder.element, h.holder.reg), g.top_of(lane));
        const ImVec2 end(g.left_of(h.holder.element + 1, h.holder.reg), g.top_of(lane + 1));
        const ImVec2 high(end.x - 1, end.y - (g.height >= 6 ? 1.0F : 0.0F));
        draw_cell(shown, low, high, {lane, h.holder.element}, std::min(g.width, g.height) >= px(9));
        if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, end)) {
            hover.next = h.place;
            under_mouse = true;
        }
        if (h.place == hover.now)
            ImGui::GetWindowDrawList()->AddRect(low, end, colour::kSelection, 0, 0, px(2));
    }
    return under_mouse;
}

}  // namespace

int matrices_beside(const FragmentLayout& l) { return l.matrices > 4 ? 4 : l.matrices > 1 ? 2 : 1; }

ImU32 fill_of(const ShownFragment& shown, int lane, int element) {
    const size_t k = fragment_index(shown.operand.map, lane, element);
    switch (shown.colour) {
        case FragmentColour::lane: return colour::of(lane_colour(lane));
        case FragmentColour::reg:
            return colour::of(warp_colour(fragments::holder_of(shown.operand.map, lane, element).reg));
        case FragmentColour::value: return value_fill(shown.view, shown.operand.values[k]);
        case FragmentColour::error: return error_fill(shown.view, k, shown.operand.values[k]);
    }
    return colour::kRaised;
}

bool is_wrong(const ShownFragment& shown, int lane, int element) {
    return !shown.view.wrong.empty() &&
        shown.view.wrong[fragment_index(shown.operand.map, lane, element)] != 0;
}

void draw_matrix(FragmentHover& hover, const ShownFragment& shown, Selection& selection, Box box) {
    const fragments::Map& map = shown.operand.map;
    const FragmentLayout& l = map.layout;
    put(box.low,
        {Face::small_words, colour::kDim},
        shown.operand.name + "   " + map.row_axis + " × " + map.column_axis);
    const Grid g = grid_of(
        l,
        {
            {box.low.x, box.low.y + px(kTitle) - px(8)},
            box.high
    }
    );
    draw_rulers(shown, g, hover.now);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool clicked = press(box, "fragments/matrix") && hover.now.row >= 0;
    for (int m = 0; m < l.matrices; ++m)
        for (int row = 0; row < l.rows; ++row)
            for (int column = 0; column < l.columns; ++column) {
                const FragmentCell& cell =
                    shown.view.cells[static_cast<size_t>((m * l.rows + row) * l.columns + column)];
                if (cell.lane < 0) continue;
                const ImVec2 low = g.corner(l, m, row, column), next = g.corner(l, m, row + 1, column + 1);
                const float gap = g.cell_x >= 6 ? 1 : 0;
                const ImVec2 high(next.x - gap, next.y - gap);
                draw_cell(shown, low, high, cell, std::min(g.cell_x, g.cell_y) >= px(7));
                const FragmentPlace place{
                    static_cast<int16_t>(row), static_cast<int16_t>(column), static_cast<int16_t>(m)};
                if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, next)) {
                    hover.next = place;
                    if (clicked) selection.lane = cell.lane;
                }
                if (cell.lane == selection.lane)
                    list->AddRect(low, high, colour::with_alpha(colour::kBright, 150));
                if (place == hover.now) list->AddRect(low, high, colour::kSelection, 0, 0, px(2));
            }
    register_control("fragments/matrix/cells", g.corner(l, 0, 0, 0), g.corner(l, 0, l.rows, l.columns));
}

void draw_lanes(FragmentHover& hover, const ShownFragment& shown, Selection& selection, Box box) {
    const fragments::Map& map = shown.operand.map;
    const FragmentLayout& l = map.layout;
    const LaneGrid g = lane_grid(map, box);
    std::string title = "lane × register";
    if (g.registers < l.registers)
        title += ", r" + std::to_string(g.registers) + " to r" + std::to_string(l.registers - 1) + " repeat";
    put_clipped(box.low, box.width(), {Face::small_words, colour::kDim}, title);
    for (int reg = 0; reg < g.registers; ++reg)
        if (g.width * static_cast<float>(g.per) >= px(15) || reg % 4 == 0)
            put({g.left_of(reg * g.per, reg), g.low.y - px(15)},
                {Face::tiny_numbers, colour::kFaint},
                "r" + std::to_string(reg));
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool clicked = press(box, "fragments/lanes");
    const float end = g.left_of(l.distinct, g.registers - 1);
    for (int lane = 0; lane < map.lanes; ++lane) {
        const float top = g.top_of(lane), bottom = g.top_of(lane + 1);
        const bool chosen = lane == selection.lane;
        if (g.height >= px(11) || lane % 4 == 0)
            put_centred(
                {box.low.x + px(12), (top + bottom) / 2},
                {Face::tiny_numbers, chosen ? colour::kSelection : colour::kFaint},
                std::to_string(lane)
            );
        if (draw_lane(hover, shown, g, lane) && clicked) selection.lane = lane;
        if (chosen)
            list->AddRect({g.low.x - 1, top - 1}, {end, bottom}, colour::with_alpha(colour::kBright, 150));
    }
    register_control("fragments/lanes/cells", g.low, {end, g.top_of(map.lanes)});
}

std::string element_text(const ShownFragment& shown, const FragmentPlace& place) {
    const fragments::Map& map = shown.operand.map;
    const std::vector<fragments::Holder> holders = fragments::holders(map, place);
    if (holders.empty()) return "";
    const fragments::Holder& h = holders.front();
    const size_t k = fragment_index(map, h.lane, h.element);
    std::string text = shown.operand.name + fragments::place_text(map, place) + " = " +
        number(shown.operand.values[k]) + "   lane " + std::to_string(h.lane) + ", register " +
        std::to_string(h.reg);
    if (const std::string part = fragments::part_text(h); !part.empty()) text += ", " + part;
    if (holders.size() > 1) text += " and " + std::to_string(holders.size() - 1) + " more";
    const Footprint& f = shown.view.footprint;
    if (f.laid >= 0) {
        const fragments::Laid& laid = shown.live.laid[static_cast<size_t>(f.laid)];
        text += (shown.operand.stored ? "   to " : "   from ") + fragments::place_text(laid, f.places[k]);
    }
    if (shown.view.should.empty() || std::isnan(shown.view.should[k])) return text;
    text += "   should be " + number(shown.view.should[k]);
    if (!shown.view.should_places.empty() && f.laid >= 0)
        text += ", " +
            fragments::place_text(shown.live.laid[static_cast<size_t>(f.laid)], shown.view.should_places[k]);
    return text;
}

}  // namespace wl::app
