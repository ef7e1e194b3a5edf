// What the colour of a byte of shared memory says.
#pragma once

#include "app/draw/palettes.h"
#include "app/session/shared_view.h"

#include <optional>
#include <string_view>

namespace wl::app {

enum class SharedColour : uint8_t { state, warp, lane, age, writers, value };
std::optional<SharedColour> shared_colour_from(std::string_view name);

// Of the values that are shown.
struct ValueRange {
    double low = 0, high = 0;
};
ValueRange value_range(const capture::SharedState& state, const SharedMatrix& matrix);

// Of a state; stale fades with its age in epochs.
Rgb state_colour(capture::Freshness freshness, int epochs_ago);
// Nothing: never written, which has no colour but the ground's.
std::optional<Rgb> colour_of(
    const capture::SharedState& state, const capture::SharedRun& run, SharedColour by
);
Rgb age_colour(int epochs_ago);
Rgb writers_colour(int threads);  // that wrote there, from 1 on
// By its value: NaN, infinities, else its place in the range.
Rgb colour_of(double value, const ValueRange& range);

// Lanes that are served together, up to four of them.
Rgb phase_colour(size_t phase);

}  // namespace wl::app
