// Rows are read one after the other and joined column by column, in vector code; a block with an element that
// is not finite is joined once more, element by element.
#include "app/session/pyramid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <future>
#include <limits>
#include <thread>

namespace wl::app {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint32_t kExponent = 0x7f800000u;

bool is_finite(float value) { return (std::bit_cast<uint32_t>(value) & kExponent) != kExponent; }
bool is_nan(float value) { return std::isnan(value) && !is_absent(value); }

// The first broken element speaks for the block, but NaN before infinity.
MinMax join(MinMax a, MinMax b) {
    if (std::isinf(a.lo) && is_nan(b.lo)) return b;
    if (is_absent(a.lo)) return b;
    if (is_absent(b.lo)) return a;
    if (!is_finite(a.lo)) return a;
    if (!is_finite(b.lo)) return b;
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

// A few rows of a matrix, and of each column what is least, largest, and whether all are finite.
struct Band {
    int count = 0;  // columns
    std::vector<float> rows, lo, hi;
    std::vector<uint32_t> broken;  // not 0: an element that is not finite
};

void join_row(Band& band, const float* row) {
    float* lo = band.lo.data();
    float* hi = band.hi.data();
    uint32_t* broken = band.broken.data();
    for (int i = 0; i < band.count; ++i) {
        const float v = row[i];
        lo[i] = v < lo[i] ? v : lo[i];
        hi[i] = v > hi[i] ? v : hi[i];
        broken[i] |= (std::bit_cast<uint32_t>(v) & kExponent) == kExponent ? 1U : 0U;
    }
}

struct Part {
    int row = 0, rows = 0, col = 0, cols = 0;
};
void read(Band& band, const Plane& plane, Part part) {
    const auto cols = static_cast<size_t>(part.cols);
    band.count = part.cols;
    band.rows.resize(cols * static_cast<size_t>(part.rows));
    band.lo.assign(cols, kInfinity);
    band.hi.assign(cols, -kInfinity);
    band.broken.assign(cols, 0);
    for (int row = 0; row < part.rows; ++row) {
        float* to = band.rows.data() + cols * static_cast<size_t>(row);
        plane.read(part.row + row, part.col, part.cols, to);
        join_row(band, to);
    }
}

// Of all rows of the band and `cols` columns from `col`.
MinMax block_of(const Band& band, int col, int cols) {
    const auto first = static_cast<size_t>(col),
               end = std::min(static_cast<size_t>(band.count), first + static_cast<size_t>(cols));
    if (first >= end) return {absent(), absent()};
    MinMax all{kInfinity, -kInfinity};
    uint32_t broken = 0;
    for (size_t i = first; i < end; ++i) {
        all.lo = band.lo[i] < all.lo ? band.lo[i] : all.lo;
        all.hi = band.hi[i] > all.hi ? band.hi[i] : all.hi;
        broken |= band.broken[i];
    }
    if (broken == 0) return all;
    all = {absent(), absent()};
    for (size_t row = 0; row < band.rows.size(); row += static_cast<size_t>(band.count))
        for (size_t i = first; i < end; ++i) all = join(all, {band.rows[row + i], band.rows[row + i]});
    return all;
}

void count_one(PlaneFigures& figures, float v) {
    if (is_absent(v)) return;
    if (std::isnan(v)) {
        ++figures.nan;
    } else if (std::isinf(v)) {
        ++figures.infinite;
    } else {
        ++figures.finite;
        figures.sum += static_cast<double>(v);
        figures.negative += v < 0 ? 1 : 0;
        figures.zero += v == 0 ? 1 : 0;
        figures.lo = std::min(figures.lo, v);
        figures.hi = std::max(figures.hi, v);
    }
}

void count_row(PlaneFigures& figures, const float* row, int count) {
    bool finite = true;
    for (int i = 0; i < count; ++i) finite &= is_finite(row[i]);
    if (!finite) {
        for (int i = 0; i < count; ++i) count_one(figures, row[i]);
        return;
    }
    constexpr int kLanes = 16;  // sums beside each other: the order of additions is part of the program
    double sums[kLanes] = {};
    int negative = 0, zero = 0;
    int i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(row[i + lane]);
    for (; i < count; ++i) sums[0] += static_cast<double>(row[i]);
    for (int k = 0; k < count; ++k) {
        negative += row[k] < 0 ? 1 : 0;
        zero += row[k] == 0 ? 1 : 0;
    }
    for (const double sum : sums) figures.sum += sum;
    figures.finite += count;
    figures.negative += negative;
    figures.zero += zero;
}

void join_range(PlaneFigures& figures, const Band& band) {
    for (int i = 0; i < band.count; ++i) {
        const auto at = static_cast<size_t>(i);
        if (band.broken[at] != 0) continue;  // count_one saw the finite ones
        figures.lo = std::min(figures.lo, band.lo[at]);
        figures.hi = std::max(figures.hi, band.hi[at]);
    }
}

PlaneFigures no_figures() {
    PlaneFigures figures;
    figures.lo = kInfinity, figures.hi = -kInfinity;
    return figures;
}

PlaneFigures finished(PlaneFigures figures) {
    if (figures.finite == 0) figures.lo = figures.hi = 0;
    return figures;
}

void add(PlaneFigures& to, const PlaneFigures& more) {
    to.lo = std::min(to.lo, more.lo), to.hi = std::max(to.hi, more.hi);
    to.sum += more.sum;
    to.finite += more.finite, to.nan += more.nan, to.infinite += more.infinite;
    to.negative += more.negative, to.zero += more.zero;
}

// Rows [from, end) of the first level, and the figures of what lies below them.
PlaneFigures measure_part(
    const Plane& plane, Matrix<MinMax>& level, int side, int from, int end, Effort* effort
) {
    PlaneFigures figures = no_figures();
    Band band;
    for (int r = from; r < end; ++r) {
        const Part part{r * side, std::min(side, plane.rows - r * side), 0, plane.cols};
        read(band, plane, part);
        for (int row = 0; row < part.rows; ++row)
            count_row(
                figures,
                band.rows.data() + static_cast<size_t>(row) * static_cast<size_t>(plane.cols),
                plane.cols
            );
        join_range(figures, band);
        for (int c = 0; c < level.cols; ++c) level(r, c) = block_of(band, c * side, side);
        if (effort == nullptr) continue;
        effort->elements += int64_t{part.rows} * part.cols;
        if (effort->stop) break;
    }
    return figures;
}

MinMax reduce_block(const Matrix<MinMax>& from, int row, int col, int rows, int cols) {
    MinMax all{absent(), absent()};
    const int row_end = std::min(from.rows, row + rows), col_end = std::min(from.cols, col + cols);
    for (int r = row; r < row_end; ++r)
        for (int c = col; c < col_end; ++c) all = join(all, from(r, c));
    return all;
}

Matrix<MinMax> reduce_window(const Matrix<MinMax>& from, const BlockWindow& window) {
    Matrix<MinMax> result = make_matrix<MinMax>(window.rows, window.cols);
    for (int r = 0; r < window.rows; ++r)
        for (int c = 0; c < window.cols; ++c) {
            const int row = (window.row + r) * window.block_rows, col = (window.col + c) * window.block_cols;
            result(r, c) = reduce_block(from, row, col, window.block_rows, window.block_cols);
        }
    return result;
}

// Of every block its first element alone.
Matrix<MinMax> first_elements(const Plane& plane, const BlockWindow& window) {
    Matrix<MinMax> result = make_matrix<MinMax>(window.rows, window.cols, {absent(), absent()});
    for (int r = 0; r < window.rows; ++r) {
        const int row = (window.row + r) * window.block_rows;
        if (row >= plane.rows) break;
        for (int c = 0; c < window.cols; ++c) {
            const int col = (window.col + c) * window.block_cols;
            if (col >= plane.cols) break;
            const float value = plane(row, col);
            result(r, c) = {value, value};
        }
    }
    return result;
}

Matrix<MinMax> reduce_elements(const Plane& plane, const BlockWindow& window) {
    Matrix<MinMax> result = make_matrix<MinMax>(window.rows, window.cols, {absent(), absent()});
    const int col = window.col * window.block_cols;
    const int cols = std::min(plane.cols, (window.col + window.cols) * window.block_cols) - col;
    Band band;
    for (int r = 0; r < window.rows && cols > 0; ++r) {
        const int row = (window.row + r) * window.block_rows;
        const int rows = std::min(window.block_rows, plane.rows - row);
        if (rows <= 0) break;
        read(band, plane, {row, rows, col, cols});
        for (int c = 0; c < window.cols; ++c)
            result(r, c) = block_of(band, c * window.block_cols, window.block_cols);
    }
    return result;
}

constexpr int64_t kLarge = 1 << 20;       // elements: threads pay
constexpr int64_t kVeryLarge = 64 << 20;  // elements: a level less, a quarter of the memory

}  // namespace

Measured measure(const Plane& plane, Effort* effort) {
    const int64_t elements = int64_t{plane.rows} * plane.cols;
    Measured out;
    out.figures = no_figures();
    out.pyramid.side = elements >= kVeryLarge ? 8 : 4;
    const int side = out.pyramid.side, rows = (plane.rows + side - 1) / side,
              cols = (plane.cols + side - 1) / side;
    Matrix<MinMax>& level = out.pyramid.levels.emplace_back(make_matrix<MinMax>(rows, cols));
    const int threads =
        elements < kLarge ? 1 : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
    const auto part = [&plane, &level, side, rows, threads, effort](int thread) {
        const auto at = [&](int end) { return static_cast<int>(int64_t{rows} * end / threads); };
        return measure_part(plane, level, side, at(thread), at(thread + 1), effort);
    };
    std::vector<std::future<PlaneFigures>> others;
    for (int thread = 1; thread < threads; ++thread)
        others.push_back(std::async(std::launch::async, part, thread));
    add(out.figures, part(0));
    for (std::future<PlaneFigures>& other : others) add(out.figures, other.get());
    out.figures = finished(out.figures);
    while (out.pyramid.levels.back().rows > 1 || out.pyramid.levels.back().cols > 1) {
        const Matrix<MinMax>& below = out.pyramid.levels.back();
        const BlockWindow all{2, 2, 0, 0, (below.rows + 1) / 2, (below.cols + 1) / 2};
        Matrix<MinMax> above = reduce_window(below, all);
        out.pyramid.levels.push_back(std::move(above));
    }
    return out;
}

PlaneFigures sample(const Plane& plane, int every) {
    PlaneFigures figures = no_figures();
    Band band;
    for (int row = 0; row < plane.rows; row += std::max(1, every)) {
        read(band, plane, {row, 1, 0, plane.cols});
        count_row(figures, band.rows.data(), plane.cols);
        join_range(figures, band);
    }
    return finished(figures);
}

Pyramid make_pyramid(const Plane& plane) { return measure(plane).pyramid; }

Matrix<MinMax> reduce(const Plane& plane, const Pyramid& pyramid, const BlockWindow& window) {
    const int side = std::min(window.block_rows, window.block_cols);
    if (pyramid.levels.empty() && side >= pyramid.side) return first_elements(plane, window);
    if (side < pyramid.side) return reduce_elements(plane, window);
    const int first = std::bit_width(static_cast<unsigned>(pyramid.side)) - 1;
    const int wanted = std::bit_width(static_cast<unsigned>(side)) - 1 - first;
    const int level = std::min(wanted, static_cast<int>(pyramid.levels.size()) - 1);
    BlockWindow coarse = window;
    coarse.block_rows /= pyramid.side << level;
    coarse.block_cols /= pyramid.side << level;
    return reduce_window(pyramid.levels[static_cast<size_t>(level)], coarse);
}

}  // namespace wl::app
