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

// The whole matrix inside `area`: square cells, stretched only where the matrix is long and thin (a vector of
// row sums becomes bars instead of a line).
inline HeatView fit_view(int rows, int cols, ImVec2 area) {
    const double height = static_cast<double>(area.y) / std::max(rows, 1),
                 width = static_cast<double>(area.x) / std::max(cols, 1);
    const double square = std::min(height, width);
    const double aspect = static_cast<double>(std::max(rows, cols)) / std::max(1, std::min(rows, cols));
    const double stretch = aspect > 2.5 ? 48 : 1;
    HeatView view;
    view.cell_width = std::min(width, square * stretch);
    view.cell_height = std::min(height, square * stretch);
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

// The element under `pixel` stays under it.
inline void zoom_at(HeatView& view, ImVec2 origin, ImVec2 pixel, double factor) {
    const double row = row_at_y(view, origin, pixel.y), col = col_at_x(view, origin, pixel.x);
    view.cell_width = std::clamp(view.cell_width * factor, 1.0 / 1024, 400.0);
    view.cell_height = std::clamp(view.cell_height * factor, 1.0 / 1024, 400.0);
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
