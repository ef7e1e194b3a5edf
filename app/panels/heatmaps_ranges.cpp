// What the colours of the heatmaps span.
#include "app/panels/heatmaps.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace wl::app {

std::pair<float, float> values_between(const TileView& tile) {
    const auto has_finite = [](const Layer& layer) { return layer.figures.finite > 0; };
    const bool two = has_reference(tile);
    const Layer& first = has_finite(tile.got) || !two ? tile.got : tile.reference;
    const Layer& second = two && has_finite(tile.reference) ? tile.reference : first;
    return {std::min(first.lo, second.lo), std::max(first.hi, second.hi)};
}

void fit_errors(HeatmapsPanel& panel, const TileView& tile) {
    const float neutral = panel.metric == analysis::Metric::ratio ? 1.0F : 0.0F;
    const Layer& error = tile.metric[static_cast<size_t>(panel.metric)];
    const float reach = std::max(std::abs(error.lo - neutral), std::abs(error.hi - neutral));
    // Where all agree, the bound is the scale: rounding noise must not glow.
    const float least = panel.metric == analysis::Metric::difference ? static_cast<float>(tile.errors.bound)
        : panel.metric == analysis::Metric::ulp                      ? 4.0F
                                                                     : 0.01F;
    panel.error_extent = std::max({reach, least, 1e-30F});
}

void choose_metric(HeatmapsPanel& panel, const TileView& tile, int metric) {
    panel.metric = static_cast<analysis::Metric>(metric);
    fit_errors(panel, tile);
}

void fit_ranges(HeatmapsPanel& panel, const TileView& tile) {
    std::tie(panel.lo, panel.hi) = values_between(tile);
    if (!(panel.hi > panel.lo)) panel.hi = panel.lo + std::max(1.0F, std::abs(panel.lo));
    fit_errors(panel, tile);
    panel.fitted = tile.content;
}

}  // namespace wl::app
