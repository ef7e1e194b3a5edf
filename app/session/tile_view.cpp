// Planes over a captured tile with their pyramids and figures; what is wrong, and an error histogram.
#include "app/session/tile_view.h"

#include "app/session/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wl::app {

namespace {

constexpr int64_t kBinned = 16 << 20;  // elements that a histogram of values looks at

void take(Layer& layer, const PlaneFigures& figures) {
    layer.figures = figures;
    layer.lo = figures.lo, layer.hi = figures.hi;
    layer.mean = figures.finite > 0 ? figures.sum / static_cast<double>(figures.finite) : 0;
}

void fill_bins(Layer& layer) {
    const Plane& plane = layer.values;
    layer.bins.assign(kValueBins, 0);
    if (!(layer.hi > layer.lo)) return;
    const int64_t elements = int64_t{plane.rows} * plane.cols;
    const int every = static_cast<int>(1 + elements / kBinned);
    const float scale = static_cast<float>(kValueBins) / (layer.hi - layer.lo);
    if (!std::isfinite(scale)) return;
    std::vector<float> row(static_cast<size_t>(plane.cols));
    for (int r = 0; r < plane.rows; r += every) {
        plane.read(r, 0, plane.cols, row.data());
        for (const float v : row) {
            if (!std::isfinite(v)) continue;
            const int bin = static_cast<int>((v - layer.lo) * scale);
            layer.bins[static_cast<size_t>(std::clamp(bin, 0, kValueBins - 1))] += 1;
        }
    }
}

void measure_layer(Layer& layer, Effort* effort) {
    if (effort != nullptr && effort->stop) return;
    Measured measured = measure(layer.values, effort);
    layer.pyramid = std::move(measured.pyramid);
    take(layer, measured.figures);
    if (effort == nullptr || !effort->stop) fill_bins(layer);
}

// Calls `each` with every layer that this tile has.
template <class View, class Each>
void for_each_layer(View& view, Each each) {
    each(view.got);
    if (has_reference(view)) {
        each(view.reference);
        for (auto& layer : view.metric) each(layer);
    }
    if (has_owner(view)) each(view.owner);
}

TileSource source_at(const capture::Capture& capture, int tile) {
    const bool known = tile >= 0 && tile < static_cast<int>(capture.tiles.size());
    return known ? source_of(capture, capture.tiles[static_cast<size_t>(tile)]) : TileSource{};
}

TileView unmeasured(const TileSource& source, int tile, uint64_t content) {
    TileView view;
    view.tile = tile, view.content = content, view.measured = false;
    view.data = source;
    if (!has_values(view)) return view;
    view.got.values = got_plane(view.data);
    if (has_reference(view)) {
        view.reference.values = reference_plane(view.data);
        for (int metric = 0; metric < kMetrics; ++metric)
            view.metric[static_cast<size_t>(metric)].values =
                metric_plane(view.data, static_cast<analysis::Metric>(metric));
    }
    if (has_owner(view)) view.owner.values = owner_plane(view.data);
    return view;
}

}  // namespace

bool has_values(const TileView& view) { return view.data.rows > 0; }
bool has_reference(const TileView& view) {
    return !view.data.references.empty() && !view.data.bounds.empty();
}
bool has_owner(const TileView& view) { return !view.data.owners.empty(); }

int64_t effort_of(const TileSource& source) {
    const bool compared = !source.references.empty() && !source.bounds.empty();
    const int passes = 2 + (compared ? 1 + kMetrics : 0) + (source.owners.empty() ? 0 : 2);
    return int64_t{source.rows} * source.cols * passes;
}

namespace {

TileView preview_of(const TileSource& source, int tile, uint64_t content) {
    TileView view = unmeasured(source, tile, content);
    if (!has_values(view)) return view;
    constexpr int kMost = 1 << 16;  // elements a layer: some milliseconds for all of them
    const int rows = std::max(8, kMost / view.data.cols), every = std::max(1, view.data.rows / rows);
    take(view.got, sample(view.got.values, every));
    if (!has_reference(view)) return view;
    take(view.reference, sample(view.reference.values, every));
    for (Layer& layer : view.metric) take(layer, sample(layer.values, every));
    return view;
}

}  // namespace

TileView preview_of(const capture::Capture& capture, int tile, uint64_t content) {
    return preview_of(source_at(capture, tile), tile, content);
}

TileView preview_of_values(const capture::Capture& capture, int tile, uint64_t content) {
    capture::Tile alone = capture.tiles[static_cast<size_t>(tile)];
    alone.reference = alone.bound = alone.owner = capture::kNoBlob;
    return preview_of(source_of(capture, alone), tile, content);
}

TileView make_tile_view(const capture::Capture& capture, int tile, uint64_t content, Effort* effort) {
    return view_of(source_at(capture, tile), tile, content, effort);
}

TileView view_of(const TileSource& source, int tile, uint64_t content, Effort* effort) {
    TileView view = unmeasured(source, tile, content);
    view.measured = true;
    if (!has_values(view)) return view;
    for_each_layer(view, [effort](Layer& layer) { measure_layer(layer, effort); });
    if (effort == nullptr || !effort->stop) judge(view, effort);
    return view;
}

std::string shape_text(const capture::Probe& probe, int rows, int cols) {
    return std::string(name_of(probe.dtype)) + " " + std::to_string(rows) + "x" + std::to_string(cols);
}

}  // namespace wl::app
