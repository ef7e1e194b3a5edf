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
Cell cell_from(const LanesShown& shown, size_t first) {
    const auto active = [&](size_t lane) { return (shown.lanes >> lane & 1) != 0; };
    Cell cell{first, first + 1, active(first), is_number(shown.row, first)};
    while (cell.end < 32 && active(cell.end) == cell.active &&
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
    const ImVec2 low(columns.x(static_cast<int>(cell.first)), y),
        high(columns.x(static_cast<int>(cell.end)) - 1, y + px(kLaneRow) - 1);
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
        const float left = columns.x(static_cast<int>(lane)),
                    right = columns.x(static_cast<int>(lane) + 1) - 1;
        if (cell.active && (shown.row.changed >> lane & 1) != 0)
            list->AddRectFilled({left, high.y - px(3)}, {right, high.y}, colour::kDifference);
        if (static_cast<int>(lane) == shown.chosen)
            list->AddRect({left, y}, {right, high.y}, colour::kSelection);
    }
}

}  // namespace

float LaneColumns::x(int lane) const { return std::floor(left + width * static_cast<float>(lane)); }

int draw_lane_row(const LanesShown& shown, const LaneColumns& columns, float y) {
    int clicked = -1;
    const float below = y + px(kLaneRow);
    for (size_t first = 0; first < 32;) {
        const Cell cell = cell_from(shown, first);
        draw_cell(shown, columns, cell, y);
        for (size_t lane = cell.first; lane < cell.end; ++lane) {
            const ImVec2 low(columns.x(static_cast<int>(lane)), y),
                high(columns.x(static_cast<int>(lane) + 1), below);
            if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) continue;
            draw_tip(shown, cell, lane);
            if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked = static_cast<int>(lane);
        }
        first = cell.end;
    }
    register_control(shown.control, {columns.x(0), y}, {columns.x(32), below});
    return clicked;
}

void draw_lane_numbers(const LaneColumns& columns, float y, int chosen) {
    for (int i = 0; i < 32; ++i) {
        if (columns.width < px(15) && i % 4 != 0) continue;
        put_centred(
            {columns.x(i) + columns.width / 2, y + px(9)},
            {Face::tiny_numbers, i == chosen ? colour::kSelection : colour::kFaint},
            std::to_string(i)
        );
    }
}

}  // namespace wl::app
