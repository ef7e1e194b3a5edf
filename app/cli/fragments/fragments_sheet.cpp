// A map as a drawing: the matrix with its owners on the left, what each lane holds on the right.
#include "app/cli/fragments/fragments.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace wl::app {

namespace {

using fragments::Map;

constexpr float kMargin = 24, kTitle = 44, kRuler = 30, kBetween = 56, kGap = 1;

// Cells as wide as their words while these fit a sheet of that many pixels.
struct CellSize {
    float width = 0, height = 0;
    bool worded = false;
};
CellSize cell_size(int columns) {
    if (columns <= 16) return {52, 22, true};
    if (columns <= 32) return {40, 18, true};
    return {std::max(6.0F, std::floor(1400.0F / static_cast<float>(columns))), 14, false};
}

Rgb colour_of(const std::string& by, const fragments::Holder& holder) {
    return by == "register" ? warp_colour(holder.reg) : lane_colour(holder.lane);
}

void add_cell(Sheet& sheet, SheetPoint at, const CellSize& size, Rgb fill, std::string text) {
    sheet.cells.push_back(
        {at.x, at.y, size.width - kGap, size.height - kGap, fill, size.worded ? std::move(text) : ""}
    );
}

void add_ruler(Sheet& sheet, SheetPoint at, const CellSize& size, int count) {
    const int stride = size.worded ? 1 : 8;
    for (int i = 0; i < count; i += stride)
        sheet.texts.push_back(
            {at.x + (static_cast<float>(i) + 0.5F) * size.width,
             at.y,
             10,
             Anchor::middle,
             false,
             fmt::format("{}", i)}
        );
}

float matrix_height(const Map& map, const CellSize& size) {
    return kRuler + static_cast<float>(map.layout.rows) * size.height + 14;
}

// One matrix after the other. Returns the width.
float add_matrices(Sheet& sheet, const Map& map, SheetPoint at, const std::string& by) {
    const CellSize size = cell_size(map.layout.columns);
    for (int m = 0; m < map.layout.matrices; ++m) {
        const float top = at.y + static_cast<float>(m) * matrix_height(map, size);
        const std::string which = map.layout.matrices > 1 ? fmt::format("matrix {}: ", m) : "";
        sheet.texts.push_back(
            {at.x + kRuler, top + 6, 11, Anchor::left, false, which + map.row_axis + " x " + map.column_axis}
        );
        add_ruler(sheet, {at.x + kRuler, top + 21}, size, map.layout.columns);
        for (int row = 0; row < map.layout.rows; ++row)
            sheet.texts.push_back(
                {at.x + kRuler - 6,
                 top + kRuler + (static_cast<float>(row) + 0.5F) * size.height,
                 10,
                 Anchor::right,
                 false,
                 fmt::format("{}", row)}
            );
    }
    for (int lane = 0; lane < map.lanes; ++lane)
        for (int i = 0; i < map.layout.distinct; ++i) {
            const FragmentPlace& p = map.layout.at(lane, i);
            if (p.row < 0) continue;
            const fragments::Holder holder = fragments::holder_of(map, lane, i);
            const SheetPoint cell{
                at.x + kRuler + static_cast<float>(p.column) * size.width,
                at.y + static_cast<float>(p.matrix) * matrix_height(map, size) + kRuler +
                    static_cast<float>(p.row) * size.height};
            add_cell(sheet, cell, size, colour_of(by, holder), fmt::format("{}.{}", lane, i));
        }
    return kRuler + size.width * static_cast<float>(map.layout.columns);
}

// Lanes down, elements across, a stroke of space between registers. Returns the width.
float add_lanes(Sheet& sheet, const Map& map, SheetPoint at, const std::string& by) {
    const CellSize size = cell_size(map.layout.elements);
    constexpr float kBetweenRegisters = 5;
    const auto left_of = [&](const fragments::Holder& h) {
        return at.x + kRuler + static_cast<float>(h.element) * size.width +
            kBetweenRegisters * static_cast<float>(h.reg);
    };
    sheet.texts.push_back({at.x + kRuler, at.y + 6, 11, Anchor::left, false, "lane x register"});
    const int per = map.layout.register_bits / map.layout.bits;
    const int stride = size.worded || per > 4 ? 1 : 4;
    for (int reg = 0; reg < map.layout.registers; reg += stride)
        sheet.texts.push_back(
            {left_of({0, reg * per, reg, 0, 0}), at.y + 21, 10, Anchor::left, false, fmt::format("r{}", reg)}
        );
    for (int lane = 0; lane < map.lanes; ++lane) {
        const float top = at.y + kRuler + static_cast<float>(lane) * size.height;
        sheet.texts.push_back(
            {at.x + kRuler - 6, top + size.height / 2, 10, Anchor::right, false, fmt::format("{}", lane)}
        );
        for (const fragments::Held& h : fragments::held(map, lane))
            add_cell(
                sheet,
                {left_of(h.holder), top},
                size,
                colour_of(by, h.holder),
                fmt::format("{},{}", h.place.row, h.place.column)
            );
    }
    return left_of({0, map.layout.elements, map.layout.registers, 0, 0}) - at.x;
}

float height_of(const Map& map) {
    const float matrices =
        static_cast<float>(map.layout.matrices) * matrix_height(map, cell_size(map.layout.columns));
    const float lanes = kRuler + static_cast<float>(map.lanes) * cell_size(map.layout.elements).height;
    return std::max(matrices, lanes);
}

}  // namespace

Sheet fragments_sheet(const std::vector<FragmentAnswer>& answers, const std::string& colour) {
    Sheet sheet;
    float y = kMargin;
    for (const FragmentAnswer& a : answers) {
        sheet.texts.push_back({kMargin, y + 8, 18, Anchor::left, true, a.map.name});
        sheet.texts.push_back(
            {kMargin,
             y + 28,
             11,
             Anchor::left,
             false,
             fragments::proof_text(a.map) + "; a cell of the matrix says lane.element"}
        );
        const SheetPoint at{kMargin, y + kTitle};
        const float matrix = add_matrices(sheet, a.map, at, colour);
        const float lanes = add_lanes(sheet, a.map, {at.x + matrix + kBetween, at.y}, colour);
        sheet.width = std::max({sheet.width, 2 * kMargin + matrix + kBetween + lanes, 480.0F});
        y += kTitle + height_of(a.map) + kMargin;
    }
    sheet.height = y;
    return sheet;
}

}  // namespace wl::app
