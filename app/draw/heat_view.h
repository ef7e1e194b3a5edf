// Where a matrix lies on the screen: the one place that converts between elements and pixels.
#pragma once

#include "app/session/selection.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace wl::app {

struct HeatView {
    double row = 0, col = 0;                 // element coordinate at the top left corner of the area
    double cell_width = 1, cell_height = 1;  // pixels an element
};

inline float x_at_col(const HeatView& view, ImVec2 origin, double col) {
    return static_cast<float>(origin.x + (col - view.col) * view.cell_width);
}
inline float y_at_row(const HeatView& view, ImVec2 origin, double row) {
    return static_cast<float>(origin.y + (row - view.row) * view.cell_height);
}
inline double col_at_x(const HeatView& view, ImVec2 origin, float x) {
    return view.col + (x - origin.x) / view.cell_width;
}
inline double row_at_y(const HeatView& view, ImVec2 origin, float y) {
    return view.row + (y - origin.y) / view.cell_height;
}
inline Element element_at_pixel(const HeatView& view, ImVec2 origin, ImVec2 pixel) {
    return {
        static_cast<int>(std::floor(row_at_y(view, origin, pixel.y))),
        static_cast<int>(std::floor(col_at_x(view, origin, pixel.x)))};
}

// How much a cell may be longer than wide, where the matrix is long and thin: a vector of row sums becomes
// bars instead of a line. However long it is, it takes a quarter of the area's other side.
constexpr double kStretch = 48, kThinnest = 0.25;

// The whole matrix inside `area`: square cells, but for those.
inline HeatView fit_view(int rows, int cols, ImVec2 area) {
    const double height = static_cast<double>(area.y) / std::max(rows, 1),
                 width = static_cast<double>(area.x) / std::max(cols, 1);
    const double square = std::min(height, width);
    const double aspect = static_cast<double>(std::max(rows, cols)) / std::max(1, std::min(rows, cols));
    const bool thin = aspect > 2.5;
    const double most = thin ? square * kStretch : square, least = thin ? kThinnest : 0;
    HeatView view;
    view.cell_width = std::min(width, std::max(most, least * width));
    view.cell_height = std::min(height, std::max(most, least * height));
    view.col = (cols - area.x / view.cell_width) / 2;
    view.row = 0;
    return view;
}

// Square cells of `cell` pixels with `centre` in the middle of the area, or as near to it as the edges of the
// matrix allow without showing what lies beyond them.
inline HeatView centred_view(Element centre, double cell, ImVec2 area, int rows, int cols) {
    const auto first = [cell](int at, float pixels, int extent) {
        const double seen = pixels / cell;
        return seen >= extent ? (extent - seen) / 2 : std::clamp(at + 0.5 - seen / 2, 0.0, extent - seen);
    };
    return {
        .row = first(centre.row, area.y, rows),
        .col = first(centre.col, area.x, cols),
        .cell_width = cell,
        .cell_height = cell};
}

// The element under `pixel` stays under it. The longer side of a cell that is stretched further than others
// waits until the other one has caught up.
inline void zoom_at(HeatView& view, ImVec2 origin, ImVec2 pixel, double factor) {
    const double row = row_at_y(view, origin, pixel.y), col = col_at_x(view, origin, pixel.x);
    const auto zoomed = [factor](double cell, double other) {
        if (factor > 1 && cell > kStretch * other) return cell;
        return std::clamp(cell * factor, std::min(1.0 / 1024, cell), 400.0);
    };
    const double width = zoomed(view.cell_width, view.cell_height);
    view.cell_height = zoomed(view.cell_height, view.cell_width);
    view.cell_width = width;
    view.row = row - (pixel.y - origin.y) / view.cell_height;
    view.col = col - (pixel.x - origin.x) / view.cell_width;
}

// At least a third of the area, or the whole matrix, stays in sight.
inline void keep_in_sight(HeatView& view, int rows, int cols, ImVec2 area) {
    const auto limit = [](double first, double seen, int extent) {
        const double margin = std::min(seen, static_cast<double>(extent)) / 3;
        return std::clamp(first, margin - seen, extent - margin);
    };
    view.row = limit(view.row, area.y / view.cell_height, rows);
    view.col = limit(view.col, area.x / view.cell_width, cols);
}

}  // namespace wl::app
