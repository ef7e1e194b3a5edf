// Each level is reduced from the one below; a window from the coarsest level that still divides its blocks.
#include "app/session/pyramid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace wl::app {

namespace {

bool is_finite(float value) { return (std::bit_cast<uint32_t>(value) & 0x7f800000u) != 0x7f800000u; }

MinMax join(MinMax a, MinMax b) {
    if (is_absent(a.lo)) return b;
    if (is_absent(b.lo)) return a;
    if (!is_finite(a.lo)) return a;  // the first broken element speaks for the block, but NaN before infinity
    if (!is_finite(b.lo)) return b;
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

MinMax of(float value) { return {value, value}; }
MinMax of(MinMax value) { return value; }

template <class T>
MinMax reduce_block(const Matrix<T>& from, int row, int col, int rows, int cols) {
    MinMax all = of(absent());
    const int row_end = std::min(from.rows, row + rows), col_end = std::min(from.cols, col + cols);
    for (int r = row; r < row_end; ++r) {
        for (int c = col; c < col_end; ++c) {
            const MinMax next = of(from(r, c));
            const bool nan_after_infinity = std::isinf(all.lo) && std::isnan(next.lo) && !is_absent(next.lo);
            all = nan_after_infinity ? next : join(all, next);
        }
    }
    return all;
}

template <class T>
Matrix<MinMax> reduce_window(const Matrix<T>& from, const BlockWindow& window) {
    Matrix<MinMax> result = make_matrix<MinMax>(window.rows, window.cols);
    for (int r = 0; r < window.rows; ++r) {
        for (int c = 0; c < window.cols; ++c) {
            const int row = (window.row + r) * window.block_rows, col = (window.col + c) * window.block_cols;
            result(r, c) = reduce_block(from, row, col, window.block_rows, window.block_cols);
        }
    }
    return result;
}

template <class T>
Matrix<MinMax> reduce_whole(const Matrix<T>& from, int block) {
    const int rows = (from.rows + block - 1) / block, cols = (from.cols + block - 1) / block;
    return reduce_window(
        from, {.block_rows = block, .block_cols = block, .row = 0, .col = 0, .rows = rows, .cols = cols}
    );
}

}  // namespace

float absent() { return std::bit_cast<float>(0xffc00000u); }
bool is_absent(float value) { return std::bit_cast<uint32_t>(value) == 0xffc00000u; }
float canonical(float value) { return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value; }

Pyramid make_pyramid(const Matrix<float>& matrix) {
    Pyramid pyramid;
    pyramid.levels.push_back(reduce_whole(matrix, 4));
    while (pyramid.levels.back().rows > 1 || pyramid.levels.back().cols > 1) {
        pyramid.levels.push_back(reduce_whole(pyramid.levels.back(), 2));
    }
    return pyramid;
}

Matrix<MinMax> reduce(const Matrix<float>& matrix, const Pyramid& pyramid, const BlockWindow& window) {
    const int side = std::min(window.block_rows, window.block_cols);
    if (side < 4) return reduce_window(matrix, window);
    const int wanted = std::bit_width(static_cast<unsigned>(side)) - 3;
    const int level = std::min(wanted, static_cast<int>(pyramid.levels.size()) - 1);
    BlockWindow coarse = window;
    coarse.block_rows /= 4 << level;
    coarse.block_cols /= 4 << level;
    return reduce_window(pyramid.levels[static_cast<size_t>(level)], coarse);
}

}  // namespace wl::app
