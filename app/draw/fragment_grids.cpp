// The matrix with its rulers, and the lanes with their registers.
#include "app/draw/fragment_grids.h"

#include "app/draw/numbers.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace wl::app {

namespace {

constexpr float kRuler = 24, kTitle = 18;     // pixels at scale 1
constexpr float kHolder = 29, kElement = 34;  // cells that hold "31.7" and "15,15"

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

// The larger of both faces in which a text of the cell stands without being cut; nothing: it does not.
std::optional<Face> face_in(float width, float height, std::string_view text) {
    for (const Face face : {Face::small_numbers, Face::tiny_numbers})
        if (measure(face, text).x + px(1) <= width && line_height(face) - px(3) <= height) return face;
    return std::nullopt;
}

// As a cell shows it: to three digits or not at all, for a number that is cut is another number.
std::string value_words(double value, float width) {
    const int characters = static_cast<int>((width - px(3)) / measure(Face::tiny_numbers, "0").x);
    std::string whole = number(value, 4);
    if (static_cast<int>(whole.size()) <= characters) return whole;
    return characters >= 5 ? cell_number(value, std::min(characters, 7)) : "";
}

// Names stand in every cell that can hold them, values below them or, where colours are of values, in their
// place.
void put_words(
    ImVec2 low, ImVec2 high, ImU32 ink, const std::string& name, const std::string& value, bool of_values
) {
    const float width = high.x - low.x, height = high.y - low.y, x = (low.x + high.x) / 2;
    const auto put_line = [&](const std::string& text, float top, float bottom) {
        if (const auto face = face_in(width, bottom - top, text); face && !text.empty())
            put_centred({x, (top + bottom) / 2}, {*face, ink}, text);
    };
    const float middle = (low.y + high.y) / 2;
    const bool both =
        height >= px(26) && face_in(width, height / 2, value) && face_in(width, height / 2, name);
    if (both) {
        put_line(name, low.y + px(1), middle);
        put_line(value, middle, high.y - px(1));
    } else {
        put_line(of_values ? value : name, low.y, high.y);
    }
}

// `marked`: wrong ones have a corner, where there is room for it.
struct CellLook {
    ImVec2 low, high;
    std::string name;  // "6.2" in the matrix, "9,4" beside the lane
    bool marked = false;
};
void draw_cell(const ShownFragment& shown, const FragmentCell& cell, const CellLook& look) {
    const ImU32 fill = fill_of(shown, cell.lane, cell.element);
    ImGui::GetWindowDrawList()->AddRectFilled(look.low, look.high, fill);
    const double value = shown.operand.values[fragment_index(shown.operand.map, cell.lane, cell.element)];
    const bool of_values = shown.colour == FragmentColour::value || shown.colour == FragmentColour::error;
    const std::string words = value_words(value, look.high.x - look.low.x);
    put_words(look.low, look.high, colour::ink_on(fill), look.name, words, of_values);
    if (look.marked && is_wrong(shown, cell.lane, cell.element)) wrong_corner(look.low, look.high);
}

std::string holder_name(const fragments::Map& map, const FragmentCell& cell) {
    return std::to_string(cell.lane) + "." +
        std::to_string(fragments::holder_of(map, cell.lane, cell.element).reg);
}

// A row a lane, a column an element: those that a lane has twice once. Lanes stand in as many columns as it
// takes to read them.
struct LaneGrid {
    ImVec2 low;
    float width = 0, height = 0, between = 0;  // of a cell; between registers
    int per = 1, registers = 1;                // elements a register; registers that are shown
    int rows = 32;                             // lanes a column
    float step = 0;                            // from one column of lanes to the next
    float left_of(int lane, int element, int reg) const {
        const int column = lane / rows;
        return std::floor(
            low.x + static_cast<float>(column) * step + static_cast<float>(element) * width +
            static_cast<float>(reg) * between
        );
    }
    float top_of(int lane) const { return std::floor(low.y + static_cast<float>(lane % rows) * height); }
};

LaneGrid lane_grid(const fragments::Map& map, Box box) {
    const FragmentLayout& l = map.layout;
    LaneGrid g;
    const int columns = lane_columns(map, box.height());
    g.rows = (map.lanes + columns - 1) / columns;
    g.per = l.register_bits / l.bits;
    g.registers = std::max(1, l.distinct / g.per);
    g.between = g.registers > 1 && g.per > 1 ? px(3) : 0;
    g.low = {box.low.x + px(kRuler), box.low.y + px(kTitle - 8) + px(kRuler)};
    g.height = std::min(px(22), (box.high.y - g.low.y) / static_cast<float>(g.rows));
    g.step = (box.width() + px(8)) / static_cast<float>(columns);
    const float room = g.step - px(kRuler + 8) - g.between * static_cast<float>(g.registers);
    g.width = std::min(px(44), room / static_cast<float>(l.distinct));
    return g;
}

// Above the lanes that begin with this one.
void draw_registers(const LaneGrid& g, int lane) {
    for (int reg = 0; reg < g.registers; ++reg)
        if (g.width * static_cast<float>(g.per) >= px(15) || reg % 4 == 0)
            put({g.left_of(lane, reg * g.per, reg), g.low.y - px(15)},
                {Face::tiny_numbers, colour::kFaint},
                "r" + std::to_string(reg));
}

// True: the mouse is over one of its elements.
bool draw_lane(FragmentHover& hover, const ShownFragment& shown, const LaneGrid& g, int lane) {
    bool under_mouse = false;
    for (const fragments::Held& h : fragments::held(shown.operand.map, lane)) {
        if (h.holder.element >= shown.operand.map.layout.distinct) continue;
        const ImVec2 low(g.left_of(lane, h.holder.element, h.holder.reg), g.top_of(lane));
        const ImVec2 end(
            g.left_of(lane, h.holder.element + 1, h.holder.reg), std::floor(g.top_of(lane) + g.height)
        );
        const ImVec2 high(end.x - 1, end.y - (g.height >= 6 ? 1.0F : 0.0F));
        const std::string name = std::to_string(h.place.row) + "," + std::to_string(h.place.column);
        draw_cell(shown, {lane, h.holder.element}, {low, high, name, std::min(g.width, g.height) >= px(9)});
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

int lane_columns(const fragments::Map& map, float height) {
    const float room = height - px(kTitle - 8 + kRuler), least = px(13);
    int columns = 1;
    while (columns < map.lanes / 8 &&
           room / static_cast<float>(map.lanes) * static_cast<float>(columns) < least)
        columns *= 2;
    return columns;
}

float legible_matrix_width(const FragmentLayout& l) {
    return px(kRuler) + static_cast<float>(l.columns * matrices_beside(l)) * px(kHolder);
}

float legible_lanes_width(const fragments::Map& map, float height) {
    const FragmentLayout& l = map.layout;
    const auto columns = static_cast<float>(lane_columns(map, height));
    return columns * (px(kRuler + 8) + static_cast<float>(l.distinct) * px(kElement));
}

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
                draw_cell(
                    shown, cell, {low, high, holder_name(map, cell), std::min(g.cell_x, g.cell_y) >= px(7)}
                );
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
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool clicked = press(box, "fragments/lanes");
    ImVec2 high = g.low;
    for (int lane = 0; lane < map.lanes; ++lane) {
        const float left = g.left_of(lane, 0, 0), end = g.left_of(lane, l.distinct, g.registers - 1);
        const float top = g.top_of(lane), bottom = std::floor(top + g.height);
        if (lane % g.rows == 0) draw_registers(g, lane);
        const bool chosen = lane == selection.lane;
        if (g.height >= px(11) || lane % 4 == 0)
            put_centred(
                {left - px(12), (top + bottom) / 2},
                {Face::tiny_numbers, chosen ? colour::kSelection : colour::kFaint},
                std::to_string(lane)
            );
        if (draw_lane(hover, shown, g, lane) && clicked) selection.lane = lane;
        if (chosen)
            list->AddRect({left - 1, top - 1}, {end, bottom}, colour::with_alpha(colour::kBright, 150));
        register_control("fragments/lane/" + std::to_string(lane), {left, top}, {end, bottom});
        high = {std::max(high.x, end), std::max(high.y, bottom)};
    }
    register_control("fragments/lanes/cells", g.low, high);
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
