// Cells are found lane by lane, and merged where text and activity agree.
#include "app/draw/lanes/lane_cells.h"

#include "app/draw/numbers.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

// As much of a lane's value as that many characters hold: of an address its last digits.
std::string cell_text(const LaneRow& row, size_t lane, int characters) {
    const auto room = static_cast<size_t>(characters);
    const std::string& text = row.text[lane];
    if (text.starts_with("0x")) return text.size() <= room ? text : "…" + text.substr(text.size() - room + 1);
    std::string shown = cell_number(row.number[lane], std::min(characters, 8));
    if (shown.size() > room && std::isinf(row.number[lane])) return shown.substr(0, 1) + "∞";
    return shown;
}

ImU32 colour_of(const LaneRow& row, size_t lane) {
    const double value = row.number[lane];
    if (std::isnan(value)) return row.text[lane] == "-" ? colour::kBar : colour::of(kNotANumber);
    if (std::isinf(value)) {  // pale, as a running maximum begins with one; not a number is loud
        const ImU32 ink = colour::of(value > 0 ? kPositiveInfinity : kNegativeInfinity);
        return colour::blend(colour::with_alpha(ink, 70), colour::kPanel);
    }
    if (!(row.high > row.low)) return colour::blend(colour::with_alpha(colour::kAccent, 56), colour::kPanel);
    const double share = (value - row.low) / (row.high - row.low);
    return colour::of(viridis()[static_cast<size_t>(std::lround(share * (kPaletteSize - 1)))]);
}

bool is_number(const LaneRow& row, size_t lane) {
    return !std::isnan(row.number[lane]) || row.text[lane] == "nan" || row.text[lane] == "-nan";
}

// Lanes from `first` on that are drawn as one.
struct Cell {
    size_t first = 0, end = 0;
    bool active = false, number = false;
};
// All lanes hold the same, so that one cell says it.
bool is_one_row(const LaneRow& row, uint32_t lanes) {
    return !row.problem.empty() || (row.uniform && lanes == ~0U);
}

Cell cell_from(const LanesShown& shown, const LaneColumns& columns, size_t first) {
    const size_t per = is_one_row(shown.row, shown.lanes) ? 32 : static_cast<size_t>(columns.per);
    const auto active = [&](size_t lane) { return (shown.lanes >> lane & 1) != 0; };
    Cell cell{first, first + 1, active(first), is_number(shown.row, first)};
    while (cell.end % per != 0 && active(cell.end) == cell.active &&
           (!cell.active || shown.row.text[cell.end] == shown.row.text[first]))
        ++cell.end;
    return cell;
}

std::string lanes_text(const Cell& cell) {
    if (cell.end == cell.first + 1) return "lane " + std::to_string(cell.first);
    return "lanes " + std::to_string(cell.first) + " to " + std::to_string(cell.end - 1);
}

void draw_tip(const LanesShown& shown, const Cell& cell, size_t lane) {
    const LaneRow& row = shown.row;
    std::string text = shown.title + " in " + lanes_text(cell) + ": " + row.text[lane];
    if ((row.changed >> lane & 1) != 0)
        text += "\nbefore the last move, in lane " + std::to_string(lane) + ": " + row.before[lane];
    tooltip(row.origin.empty() ? text : text + "\n" + row.origin);
}

void draw_cell(const LanesShown& shown, const LaneColumns& columns, const Cell& cell, float y) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool whole_row = cell.end - cell.first > static_cast<size_t>(columns.per);  // of all lanes, as one
    const int last = whole_row ? columns.per - 1 : static_cast<int>(cell.end) - 1;
    const ImVec2 low(columns.x(static_cast<int>(cell.first)), y),
        high(columns.end(last) - 1, y + px(kLaneRow) - 1);
    const ImU32 fill = !cell.active ? colour::kBar
        : cell.number               ? colour_of(shown.row, cell.first)
                                    : colour::kRaised;
    list->AddRectFilled(low, high, fill);
    if (!cell.active) list->AddLine({low.x, high.y}, {high.x, low.y}, colour::kLine);
    const int characters =
        static_cast<int>((high.x - low.x - 3) / std::max(1.0F, measure(Face::tiny_numbers, "0").x));
    const bool words = cell.active && !cell.number && cell.end > cell.first + 1;
    const std::string& text = shown.row.text[cell.first];
    const auto whole = static_cast<int>(text.size());
    if (cell.active && ((cell.number && characters >= 3) || (words && characters >= whole)))
        put_centred(
            {(low.x + high.x) / 2, (low.y + high.y) / 2},
            {Face::tiny_numbers, colour::ink_on(fill)},
            words || whole <= characters ? text : cell_text(shown.row, cell.first, characters)
        );
    for (size_t lane = cell.first; lane < cell.end; ++lane) {
        const float left = columns.x(static_cast<int>(lane)), right = columns.end(static_cast<int>(lane)) - 1;
        if (cell.active && (shown.row.changed >> lane & 1) != 0)
            list->AddRectFilled({left, high.y - px(3)}, {right, high.y}, colour::kDifference);
        if (static_cast<int>(lane) == shown.chosen)
            list->AddRect({left, y}, {right, high.y}, colour::kSelection);
    }
}

}  // namespace

float LaneColumns::x(int lane) const { return std::floor(left + width * static_cast<float>(lane % per)); }
float LaneColumns::end(int lane) const {
    return std::floor(left + width * static_cast<float>(lane % per + 1));
}

LaneColumns lane_columns(float left, float room) {
    int per = 32;
    while (per > 8 && room / static_cast<float>(per) < px(kLeastLane)) per /= 2;
    return {left, room / static_cast<float>(per), per};
}

float lane_row_height(const LaneRow& row, uint32_t lanes, const LaneColumns& columns) {
    return px(kLaneRow) * static_cast<float>(is_one_row(row, lanes) ? 1 : columns.rows());
}

float lane_rule_height(const LaneColumns& columns) {
    return px(4) + px(13) * static_cast<float>(columns.rows());
}

int draw_lane_row(const LanesShown& shown, const LaneColumns& columns, float y) {
    int clicked = -1;
    const float below = y + lane_row_height(shown.row, shown.lanes, columns);
    for (size_t first = 0; first < 32;) {
        const Cell cell = cell_from(shown, columns, first);
        const bool one = is_one_row(shown.row, shown.lanes);
        const float top = y +
            (one ? 0 : px(kLaneRow) * std::floor(static_cast<float>(first) / static_cast<float>(columns.per))
            );
        draw_cell(shown, columns, cell, top);
        for (size_t lane = cell.first; lane < cell.end; ++lane) {
            const ImVec2 low(columns.x(static_cast<int>(lane)), top),
                high(columns.end(static_cast<int>(lane)), top + px(kLaneRow));
            if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) continue;
            draw_tip(shown, cell, lane);
            if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked = static_cast<int>(lane);
        }
        first = cell.end;
    }
    register_control(shown.control, {columns.x(0), y}, {columns.end(columns.per - 1), below});
    return clicked;
}

void draw_lane_numbers(const LaneColumns& columns, float y, int chosen) {
    for (int lane = 0; lane < 32; ++lane) {
        const int line = lane / columns.per;
        const auto row = static_cast<float>(line);
        put_centred(
            {columns.x(lane) + columns.width / 2, y + px(8) + px(13) * row},
            {Face::small_numbers, lane == chosen ? colour::kSelection : colour::kDim},
            std::to_string(lane)
        );
    }
    register_control(
        "lanes/rule", {columns.x(0), y}, {columns.end(columns.per - 1), y + lane_rule_height(columns)}
    );
}

}  // namespace wl::app
