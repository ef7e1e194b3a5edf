// States are hues that no warp has beside each other; ages fade.
#include "app/draw/shared_memory/colours.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wl::app {

namespace {

using capture::Freshness;
using capture::SharedRun;
using capture::SharedState;

constexpr Rgb kNow = {0x4f, 0xa8, 0x72}, kFlying = {0xe2, 0x9a, 0x3a};
// By epochs since: 1, 2, 3, 4 and more.
constexpr std::array<Rgb, 4> kStale = {
    {{0x5d, 0x7c, 0xa8}, {0x50, 0x66, 0x8c}, {0x45, 0x54, 0x72}, {0x3c, 0x46, 0x5c}}
};
constexpr std::array<Rgb, 4> kPhases = {
    {{0xff, 0xd1, 0x66}, {0x5a, 0xc8, 0xe6}, {0xe8, 0x7f, 0xb4}, {0x9c, 0xd6, 0x6a}}
};

// The last writer; of a copy in flight its own.
const capture::SharedWrite& writer_of(const SharedState& state, const SharedRun& run) {
    return state.writes[static_cast<size_t>(run.write >= 0 ? run.write : run.flight)];
}

Rgb on_palette(double share) {
    return viridis()[static_cast<size_t>(std::clamp(share, 0.0, 1.0) * (kPaletteSize - 1))];
}

}  // namespace

std::optional<SharedColour> shared_colour_from(std::string_view name) {
    constexpr std::array<std::string_view, 6> kNames = {"state", "warp", "lane", "age", "writers", "value"};
    const auto* const at = std::find(kNames.begin(), kNames.end(), name);
    if (at == kNames.end()) return {};
    return static_cast<SharedColour>(at - kNames.begin());
}

Rgb state_colour(Freshness freshness, int epochs_ago) {
    if (freshness == Freshness::flying) return kFlying;
    return freshness == Freshness::now ? kNow : kStale[static_cast<size_t>(std::clamp(epochs_ago, 1, 4) - 1)];
}

ValueRange value_range(const SharedState& state, const SharedMatrix& m) {
    ValueRange range{INFINITY, -INFINITY};
    const auto size = static_cast<uint32_t>(layouts::bytes_of(m.matrix));
    for (uint32_t at = 0; at < m.elements.size(); ++at) {
        if (m.elements[at] < 0) continue;
        const double value = shared_value(state, m.matrix.dtype, m.matrix.begin + at * size);
        if (!std::isfinite(value)) continue;
        range.low = std::min(range.low, value), range.high = std::max(range.high, value);
    }
    return range.low <= range.high ? range : ValueRange{};
}

Rgb age_colour(int epochs_ago) { return on_palette(1 - std::min(epochs_ago, 8) / 8.0); }

Rgb writers_colour(int threads) { return on_palette(std::min(std::max(threads - 1, 0), 7) / 7.0); }

std::optional<Rgb> colour_of(const SharedState& state, const SharedRun& run, SharedColour by) {
    if (run.write < 0 && run.flight < 0) return {};
    switch (by) {
        case SharedColour::warp: return warp_colour(writer_of(state, run).warp);
        case SharedColour::lane: return lane_colour(run.lane >= 0 ? run.lane : run.flight_lane);
        case SharedColour::age: return age_colour(writer_of(state, run).epochs_ago);
        case SharedColour::writers: return writers_colour(run.writers);
        default: return state_colour(capture::freshness_of(state, run), writer_of(state, run).epochs_ago);
    }
}

Rgb colour_of(double value, const ValueRange& range) {
    if (std::isnan(value)) return kNotANumber;
    if (std::isinf(value)) return value > 0 ? kPositiveInfinity : kNegativeInfinity;
    const double span = range.high - range.low;
    return on_palette(span > 0 ? (value - range.low) / span : 0.5);
}

Rgb phase_colour(size_t phase) { return kPhases[phase % kPhases.size()]; }

}  // namespace wl::app
