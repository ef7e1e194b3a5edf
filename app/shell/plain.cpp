// A pixel an element, or a pixel a block of them; hatched where there is nothing.
#include "app/shell/plain.h"

#include "app/draw/palettes.h"

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

constexpr Rgb kDark = {22, 23, 27}, kLight = {32, 34, 40}, kUnwritten = {84, 89, 99};

Rgb colour_of(const HeatStyle& style, float value, bool stripe) {
    if (style.map == HeatMap::owners) {
        if (value < 0) return stripe ? kUnwritten : kDark;
        return owner_palette().at(static_cast<size_t>(value));
    }
    if (std::isinf(value)) return value < 0 ? kNegativeInfinity : kPositiveInfinity;
    if (std::isnan(value) && std::signbit(value)) return stripe ? kLight : kDark;
    if (std::isnan(value)) return kNotANumber;
    return palette_of(ramp_of(style)).at(palette_index(style, value));
}

// Of two elements the one that must be seen: what is no number first, what is absent last.
float louder(const HeatStyle& style, float a, float b) {
    const auto rank = [&](float v) {
        if (std::isnan(v)) return std::signbit(v) ? -1.0F : INFINITY;
        return std::isinf(v) ? INFINITY : std::abs(v - style.neutral);
    };
    return rank(b) > rank(a) ? b : a;
}

// How the pixels of one side are shared out: `cell` pixels an element, or `block` elements a pixel.
struct Side {
    int cell = 1, block = 1, pixels = 0;
};
Side side_of(int elements, int longest, int stretch, int wanted) {
    Side side;
    side.block = (elements + kPlainMost - 1) / kPlainMost;
    const int square = std::max(1, wanted / std::max(longest, 1));
    side.cell = side.block > 1 ? 1 : std::max(1, std::min(square * stretch, wanted / elements));
    side.pixels = side.block > 1 ? (elements + side.block - 1) / side.block : elements * side.cell;
    return side;
}

float element_of(
    const Matrix<float>& values, const HeatStyle& style, const Side& y, const Side& x, int py, int px
) {
    const int row = y.block > 1 ? py * y.block : py / y.cell, col = x.block > 1 ? px * x.block : px / x.cell;
    const int last_row = std::min(row + y.block, values.rows),
              last_col = std::min(col + x.block, values.cols);
    float out = values(row, col);
    for (int r = row; r < last_row; ++r)
        for (int c = col; c < last_col; ++c) out = louder(style, out, values(r, c));
    return out;
}

Matrix<float> numbers_of(const Plane& plane) {
    Matrix<float> out = make_matrix<float>(plane.rows, plane.cols);
    for (int row = 0; row < plane.rows; ++row)
        plane.read(row, 0, plane.cols, out.data.data() + out.index(row, 0));
    return out;
}

}  // namespace

Image paint_plain(const Plane& plane, const HeatStyle& style, int side) {
    const Matrix<float> values = numbers_of(plane);
    const int longest = std::max(values.rows, values.cols), shortest = std::min(values.rows, values.cols);
    const int stretch = 2 * longest > 5 * shortest ? 48 : 1;  // a vector of row sums becomes bars, not a line
    const Side y = side_of(values.rows, longest, stretch, side),
               x = side_of(values.cols, longest, stretch, side);
    Image image{x.pixels, y.pixels, {}};
    image.rgb.reserve(static_cast<size_t>(x.pixels) * static_cast<size_t>(y.pixels) * 3);
    for (int py = 0; py < y.pixels; ++py)
        for (int px = 0; px < x.pixels; ++px) {
            const Rgb rgb = colour_of(style, element_of(values, style, y, x, py, px), (px + py) % 8 < 2);
            image.rgb.insert(image.rgb.end(), {rgb.r, rgb.g, rgb.b});
        }
    return image;
}

}  // namespace wl::app
