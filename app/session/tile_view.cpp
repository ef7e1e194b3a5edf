// Turns a captured tile into float matrices with pyramids, marks, and an error histogram.
#include "app/session/tile_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wl::app {

namespace {

void measure_range(Layer& layer) {
    layer.lo = std::numeric_limits<float>::infinity();
    layer.hi = -layer.lo;
    double sum = 0;
    for (const float v : layer.values.data) {
        layer.nan += std::isnan(v) && !is_absent(v) ? 1 : 0;
        layer.infinite += std::isinf(v) ? 1 : 0;
        if (!std::isfinite(v)) continue;
        ++layer.finite;
        sum += static_cast<double>(v);
        layer.lo = std::min(layer.lo, v);
        layer.hi = std::max(layer.hi, v);
    }
    if (layer.finite == 0) layer.lo = layer.hi = 0;
    if (layer.finite > 0) layer.mean = sum / static_cast<double>(layer.finite);
}

Layer make_layer(Matrix<float> values) {
    Layer layer;
    layer.values = std::move(values);
    layer.pyramid = make_pyramid(layer.values);
    measure_range(layer);
    return layer;
}

Layer layer_of(const Matrix<double>& matrix, bool nan_is_absent) {
    Matrix<float> values = make_matrix<float>(matrix.rows, matrix.cols);
    for (size_t i = 0; i < matrix.data.size(); ++i) {
        const double v = matrix.data[i];
        values.data[i] = nan_is_absent && std::isnan(v) ? absent() : canonical(static_cast<float>(v));
    }
    return make_layer(std::move(values));
}

bool bad_at(const analysis::TileData& data, size_t i) {
    return analysis::is_bad(data.got.data[i], data.reference.data[i], data.bound.data[i]);
}

// A metric has no value where there is no reference; a NaN elsewhere is the kernel's. What agrees with an
// infinite reference (a masked score) agrees.
Layer metric_layer(const analysis::TileData& data, analysis::Metric metric) {
    const float agreement = metric == analysis::Metric::ratio ? 1 : 0;
    Matrix<float> values = analysis::metric_matrix(data, metric);
    for (size_t i = 0; i < values.data.size(); ++i) {
        float& v = values.data[i];
        const bool masked = !std::isfinite(data.reference.data[i]) && !bad_at(data, i);
        if (std::isnan(data.reference.data[i])) {
            v = absent();
        } else if (std::isnan(data.got.data[i])) {
            v = std::numeric_limits<float>::quiet_NaN();
        } else if (masked) {
            v = agreement;
        }
        if (std::isnan(v) && !std::isnan(data.got.data[i])) v = absent();  // 0 / 0 says nothing
    }
    return make_layer(std::move(values));
}

// A masked score may be any large negative number: such elements would leave no colour for the others.
void leave_out_masked(Layer& got, const analysis::TileData& data) {
    Layer seen;
    for (size_t i = 0; i < data.got.data.size(); ++i) {
        const bool masked = std::isinf(data.reference.data[i]) && !bad_at(data, i);
        seen.values.data.push_back(masked ? absent() : got.values.data[i]);
    }
    measure_range(seen);
    got.lo = seen.lo;
    got.hi = seen.hi;
}

Layer owner_layer(const Matrix<capture::Owner>& owners) {
    Matrix<float> values = make_matrix<float>(owners.rows, owners.cols);
    for (size_t i = 0; i < owners.data.size(); ++i) {
        const capture::Owner& owner = owners.data[i];
        const bool nobody = owner.warp == capture::Owner::kNobody;
        values.data[i] = nobody ? -1.0F : static_cast<float>(owner.warp % 32 * 32 + owner.lane % 32);
    }
    return make_layer(std::move(values));
}

double excess(const analysis::TileData& data, size_t i) {
    const double difference = std::abs(data.got.data[i] - data.reference.data[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    return difference / std::max(static_cast<double>(data.bound.data[i]), std::numeric_limits<double>::min());
}

// The worst so far; those of equal excess in the order in which they lie.
struct Worst {
    struct Entry {
        double excess = 0;
        size_t index = 0;
    };
    std::vector<Entry> heap;  // the least bad first
    static bool comes_before(const Entry& a, const Entry& b) {
        return a.excess != b.excess ? a.excess > b.excess : a.index < b.index;
    }
    void take(Entry entry) {
        if (heap.size() == kMaxWorst && !comes_before(entry, heap.front())) return;
        heap.push_back(entry);
        std::push_heap(heap.begin(), heap.end(), comes_before);
        if (heap.size() <= kMaxWorst) return;
        std::pop_heap(heap.begin(), heap.end(), comes_before);
        heap.pop_back();
    }
};

void find_wrong(TileView& view) {
    const analysis::TileData& data = view.data;
    view.wrong = make_matrix<uint8_t>(data.rows, data.cols);
    Worst worst;
    const auto element = [&](size_t i) {
        const auto cols = static_cast<size_t>(data.cols);
        return Element{static_cast<int>(i / cols), static_cast<int>(i % cols)};
    };
    for (size_t i = 0; i < data.got.data.size(); ++i) {
        const bool wrong = has_reference(view) && bad_at(data, i);
        const bool ringed = !std::isfinite(data.got.data[i]) && (wrong || !has_reference(view));
        if (ringed && view.non_finite.size() < kMaxMarks) view.non_finite.push_back(element(i));
        if (!wrong) continue;
        view.wrong.data[i] = 1;
        ++view.wrong_count;
        worst.take({excess(data, i), i});
    }
    std::sort_heap(worst.heap.begin(), worst.heap.end(), Worst::comes_before);
    for (const Worst::Entry& entry : worst.heap) view.worst.push_back(element(entry.index));
}

double median_bound(const analysis::TileData& data) {
    std::vector<float> bounds;
    for (size_t i = 0; i < data.bound.data.size(); ++i) {
        if (!std::isnan(data.reference.data[i])) bounds.push_back(data.bound.data[i]);
    }
    if (bounds.empty()) return 0;
    const auto middle = bounds.begin() + static_cast<std::ptrdiff_t>(bounds.size() / 2);
    std::nth_element(bounds.begin(), middle, bounds.end());
    return *middle;
}

ErrorHistogram make_histogram(const TileView& view) {
    constexpr int kBins = 48;
    ErrorHistogram histogram;
    const Matrix<float>& difference = view.metric[0].values;
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (const float v : difference.data) {
        histogram.exact += v == 0 ? 1 : 0;
        if (!std::isfinite(v) || v == 0) continue;
        lo = std::min(lo, std::log10(std::abs(static_cast<double>(v))));
        hi = std::max(hi, std::log10(std::abs(static_cast<double>(v))));
    }
    histogram.bound = median_bound(view.data);
    if (histogram.bound > 0) {  // the bound belongs on the axis
        lo = std::min(lo, std::log10(histogram.bound));
        hi = std::max(hi, std::log10(histogram.bound));
    }
    if (!(lo <= hi)) return histogram;
    histogram.first = lo - 0.2;
    histogram.width = (hi - lo + 0.4) / kBins;
    histogram.good.assign(kBins, 0);
    histogram.bad.assign(kBins, 0);
    for (size_t i = 0; i < difference.data.size(); ++i) {
        const float v = difference.data[i];
        if (!std::isfinite(v) || v == 0) continue;
        const int bin = static_cast<int>(
            (std::log10(std::abs(static_cast<double>(v))) - histogram.first) / histogram.width
        );
        const auto at = static_cast<size_t>(std::clamp(bin, 0, kBins - 1));
        (view.wrong.data[i] != 0 ? histogram.bad : histogram.good)[at] += 1;
    }
    return histogram;
}

}  // namespace

bool has_values(const TileView& view) { return view.data.rows > 0; }
bool has_reference(const TileView& view) {
    return !view.data.reference.data.empty() && !view.data.bound.data.empty();
}
bool has_owner(const TileView& view) { return !view.data.owner.data.empty(); }

TileView make_tile_view(
    const capture::Capture& capture, int tile, uint64_t content, const std::atomic<bool>* stop
) {
    TileView view;
    view.tile = tile;
    view.content = content;
    const auto stopped = [stop] { return stop != nullptr && *stop; };
    if (tile < 0 || tile >= static_cast<int>(capture.tiles.size())) return view;
    view.data = analysis::load_tile(capture, capture.tiles[static_cast<size_t>(tile)]);
    if (!has_values(view) || stopped()) return view;
    view.got = layer_of(view.data.got, false);
    if (has_reference(view)) {
        leave_out_masked(view.got, view.data);
        view.reference = layer_of(view.data.reference, true);
        for (int metric = 0; metric < kMetrics && !stopped(); ++metric)
            view.metric[static_cast<size_t>(metric)] =
                metric_layer(view.data, static_cast<analysis::Metric>(metric));
    }
    if (stopped()) return view;
    find_wrong(view);
    if (has_reference(view)) view.errors = make_histogram(view);
    if (has_owner(view) && !stopped()) {
        view.owner = owner_layer(view.data.owner);
        view.ownership = analysis::ownership(view.data);
    }
    return view;
}

std::string shape_text(const capture::Probe& probe, int rows, int cols) {
    return std::string(name_of(probe.dtype)) + " " + std::to_string(rows) + "x" + std::to_string(cols);
}

}  // namespace wl::app
