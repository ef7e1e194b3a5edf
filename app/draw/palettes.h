// Look-up tables from a value's position to its colour; owners have one colour a (warp, lane).
#pragma once

#include <array>
#include <cstdint>

namespace wl::app {

struct Rgb {
    uint8_t r = 0, g = 0, b = 0;
    bool operator==(const Rgb&) const = default;
};

constexpr int kPaletteSize = 256;
using Palette = std::array<Rgb, kPaletteSize>;
const Palette& viridis();    // values
const Palette& diverging();  // differences: light blue, blue, near-black at the middle, orange, light yellow

// Of values: viridis and cividis read alike with every colour vision, as do both pairs of hues of
// differences, whose middle is the ground of the dark or of the light theme.
enum class Ramp : uint8_t {
    viridis,
    cividis,
    magma,
    grey,
    blue_orange,
    purple_green,
    blue_orange_light,
    purple_green_light
};
constexpr int kRamps = 8;
const Palette& palette_of(Ramp ramp);

constexpr int kOwnerWarps = 32, kOwnerLanes = 32;  // warps repeat their hue after 32
using OwnerPalette = std::array<Rgb, kOwnerWarps * kOwnerLanes>;
const OwnerPalette& owner_palette();  // [warp * 32 + lane]: hue = warp, lightness = lane
Rgb warp_colour(int warp);            // the middle of that warp's lanes
// Of fragments: a hue for each group of four lanes, which share rows or columns, a lightness for each of the
// four.
Rgb lane_colour(int lane);

constexpr Rgb kNotANumber = {255, 0, 222}, kPositiveInfinity = {0, 255, 255},
              kNegativeInfinity = {158, 255, 0};

}  // namespace wl::app
