// Comparing tiles with their references, element by element.
#include "instrumentation/analysis/diff.h"

#include "instrumentation/analysis/diff_elements.h"
#include "instrumentation/analysis/metric.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace wl::analysis {

namespace {

constexpr std::array<std::string_view, 4> kMetricNames{"difference", "relative", "ratio", "ulp"};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
Matrix<T> matrix_of(const std::vector<std::byte>& bytes, int rows, int cols) {
    Matrix<T> out = make_matrix<T>(rows, cols);
    if (bytes.size() != out.data.size() * sizeof(T)) return {};
    std::memcpy(out.data.data(), bytes.data(), bytes.size());
    return out;
}

}  // namespace

std::optional<Metric> metric_from_name(std::string_view name) {
    const auto* it = std::find(kMetricNames.begin(), kMetricNames.end(), name);
    if (it == kMetricNames.end()) return std::nullopt;
    return static_cast<Metric>(it - kMetricNames.begin());
}

std::string_view name_of(Metric metric) { return kMetricNames[static_cast<size_t>(metric)]; }

TileData load_tile(const capture::Capture& capture, const capture::Tile& tile) {
    TileData out;
    if (tile.values == capture::kNoBlob) return out;
    const auto blob = [&](capture::BlobId id) -> const std::vector<std::byte>& {
        return capture::content_of(capture.blobs, id);
    };
    out.rows = tile.rows, out.cols = tile.cols;
    out.dtype = capture.probes[static_cast<size_t>(tile.probe)].dtype;
    out.raw = blob(tile.values);
    out.got = {tile.rows, tile.cols, widen(out.dtype, out.raw)};
    assert(out.got.data.size() == static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols));
    if (tile.reference != capture::kNoBlob)
        out.reference = matrix_of<double>(blob(tile.reference), tile.rows, tile.cols);
    if (tile.bound != capture::kNoBlob) out.bound = matrix_of<float>(blob(tile.bound), tile.rows, tile.cols);
    if (tile.owner != capture::kNoBlob)
        out.owner = matrix_of<capture::Owner>(blob(tile.owner), tile.rows, tile.cols);
    return out;
}

bool is_bad(double got, double reference, float bound) {
    if (std::isnan(reference)) return false;
    if (std::isinf(reference)) return reference < 0 ? !(got <= -double{bound}) : got != reference;
    return !(std::fabs(got - reference) <= double{bound});
}

bool is_exact(DType dtype, const ReferenceTile& reference) {
    return !is_float(dtype) && !reference.tolerance;
}

Matrix<float> limits(DType dtype, const ReferenceTile& reference) {
    if (is_exact(dtype, reference)) return make_matrix<float>(reference.bound.rows, reference.bound.cols);
    Matrix<float> out = reference.bound;
    add_store_bounds(dtype, reference.value.data, out.data);
    return out;
}

Comparison compare(DType dtype, const std::vector<std::byte>& values, const ReferenceTile& reference) {
    Comparison out;
    const std::vector<double> got = widen(dtype, values);
    const bool comparable = reference.value.data.size() == got.size();
    const ElementCounts n = !comparable ? count_values(got)
        : is_exact(dtype, reference)    ? count_whole(dtype, values, reference)
                                        : count_elements(dtype, got, reference);
    out.compared = n.compared, out.bad = n.bad, out.nan = n.nan, out.inf = n.inf;
    out.max_difference = n.max_difference, out.max_excess = n.max_excess;
    if (n.low <= n.high) out.min = n.low, out.max = n.high;
    out.estimated = reference.estimated && !is_exact(dtype, reference);
    if (n.bad == 0) return out;
    out.doubtful = out.estimated && n.max_excess <= reference.doubt && n.nan == 0 && n.inf == 0;
    const auto cols = static_cast<size_t>(reference.value.cols);
    out.first_bad_row = static_cast<int>(n.first_bad / cols);
    out.first_bad_col = static_cast<int>(n.first_bad % cols);
    return out;
}

void store(capture::Tile& tile, const Comparison& c) {
    tile.min = c.min, tile.max = c.max, tile.nan = c.nan, tile.inf = c.inf;
    tile.compared = c.compared, tile.bad = c.bad;
    tile.max_difference = c.max_difference, tile.max_excess = c.max_excess;
    tile.first_bad_row = c.first_bad_row, tile.first_bad_col = c.first_bad_col;
    tile.estimated_bound = c.estimated;
    tile.verdict = c.compared == 0 ? capture::Verdict::not_compared
        : c.doubtful               ? capture::Verdict::undecided
        : c.bad > 0                ? capture::Verdict::bad
                                   : capture::Verdict::ok;
}

Matrix<float> metric_matrix(const TileData& tile, Metric metric) {
    Matrix<float> out = make_matrix<float>(tile.rows, tile.cols, static_cast<float>(kNaN));
    if (tile.reference.data.size() != tile.got.data.size()) return out;
    for (size_t i = 0; i < out.data.size(); ++i)
        out.data[i] = metric_of(tile.dtype, tile.got.data[i], tile.reference.data[i], metric);
    return out;
}

int first_bad_tile(const capture::Capture& capture) {
    int best = -1;
    const auto key = [&](const capture::Tile& t) {
        const bool whole = t.block == capture::kWholeLaunch;
        return std::array<int64_t, 4>{
            whole ? 1 : 0, t.iteration, capture.probes[static_cast<size_t>(t.probe)].step, t.block};
    };
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        if (capture.tiles[i].verdict != capture::Verdict::bad) continue;
        if (best < 0 || key(capture.tiles[i]) < key(capture.tiles[static_cast<size_t>(best)]))
            best = static_cast<int>(i);
    }
    return best;
}

namespace {
constexpr size_t kFewestValues =
    3;  // of the reference: any two numbers or fewer may stand in one ratio by chance
constexpr double kLeastFactor = 1e-3;  // nearer to 1 it is said as "1 x the reference"
}  // namespace

std::optional<FactorFit> fit_factor(const TileData& tile) {
    if (tile.reference.data.empty() || tile.bound.data.empty()) return std::nullopt;
    std::vector<double> ratios;
    std::set<double> different;
    for (size_t i = 0; i < tile.got.data.size(); ++i) {
        const double r = tile.reference.data[i];
        if (!std::isfinite(r) || !std::isfinite(tile.got.data[i])) continue;
        if (!(std::fabs(r) > 16 * double{tile.bound.data[i]})) continue;
        ratios.push_back(tile.got.data[i] / r);
        if (different.size() < kFewestValues) different.insert(r);
    }
    if (different.size() < kFewestValues) return std::nullopt;
    FactorFit fit;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    fit.factor = *middle;
    fit.elements = static_cast<int64_t>(ratios.size());
    if (fit.factor == 0 || std::fabs(fit.factor - 1) < kLeastFactor) return std::nullopt;
    for (const double q : ratios) fit.spread = std::max(fit.spread, std::fabs(q / fit.factor - 1));
    for (size_t i = 0; i < tile.got.data.size(); ++i) {
        const double g = tile.got.data[i], r = tile.reference.data[i];
        if (is_bad(std::isinf(r) ? g : g / fit.factor, r, tile.bound.data[i])) ++fit.bad_after;
    }
    return fit;
}

}  // namespace wl::analysis
