// Palettes are interpolated once from a few anchor colours.
#include "app/draw/palettes.h"

#include <cmath>
#include <span>

namespace wl::app {

namespace {

Rgb mix(Rgb a, Rgb b, double t) {
    const auto blend = [t](uint8_t x, uint8_t y) {
        return static_cast<uint8_t>(std::lround(x + (y - x) * t));
    };
    return {blend(a.r, b.r), blend(a.g, b.g), blend(a.b, b.b)};
}

Palette interpolate(std::span<const Rgb> anchors) {
    Palette palette;
    for (int i = 0; i < kPaletteSize; ++i) {
        const double at =
            static_cast<double>(i) * static_cast<double>(anchors.size() - 1) / (kPaletteSize - 1);
        const size_t left = std::min(static_cast<size_t>(at), anchors.size() - 2);
        palette[static_cast<size_t>(i)] =
            mix(anchors[left], anchors[left + 1], at - static_cast<double>(left));
    }
    return palette;
}

// Sixteen equally spaced samples of matplotlib's viridis (CC0).
constexpr Rgb kViridis[] = {
    {0x44, 0x01, 0x54},
    {0x48, 0x1a, 0x6c},
    {0x47, 0x2f, 0x7d},
    {0x41, 0x44, 0x87},
    {0x39, 0x56, 0x8c},
    {0x31, 0x68, 0x8e},
    {0x2a, 0x78, 0x8e},
    {0x23, 0x88, 0x8e},
    {0x1f, 0x98, 0x8b},
    {0x22, 0xa8, 0x84},
    {0x35, 0xb7, 0x79},
    {0x54, 0xc5, 0x68},
    {0x7a, 0xd1, 0x51},
    {0xa5, 0xdb, 0x36},
    {0xd2, 0xe2, 0x1b},
    {0xfd, 0xe7, 0x25}
};

// Near-black in the middle: what agrees recedes, only errors glow.
constexpr Rgb kDiverging[] = {
    {0xc8, 0xe6, 0xff},
    {0x7f, 0xb6, 0xf5},
    {0x3b, 0x7c, 0xe6},
    {0x26, 0x55, 0xb0},
    {0x1d, 0x34, 0x62},
    {0x1c, 0x1f, 0x24},
    {0x5e, 0x31, 0x1b},
    {0xa8, 0x49, 0x18},
    {0xe8, 0x66, 0x1e},
    {0xf8, 0xa4, 0x4c},
    {0xff, 0xe2, 0x9a}
};

// Eight hues that stay apart beside each other; the next eight are darker, and so on.
constexpr Rgb kWarps[] = {
    {0x4c, 0x8b, 0xcb},
    {0xd8, 0x86, 0x38},
    {0x5a, 0xa8, 0x5c},
    {0xc9, 0x4c, 0x55},
    {0x5c, 0xb3, 0xa4},
    {0xd0, 0xb0, 0x3c},
    {0x92, 0x6b, 0xb5},
    {0xc0, 0x5b, 0x8c}
};

}  // namespace

const Palette& viridis() {
    static const Palette kPalette = interpolate(kViridis);
    return kPalette;
}

const Palette& diverging() {
    static const Palette kPalette = interpolate(kDiverging);
    return kPalette;
}

Rgb warp_colour(int warp) {
    const int round = warp / 8 % 4;
    return mix(kWarps[warp % 8], {16, 18, 21}, 0.18 * round);
}

Rgb lane_colour(int lane) {
    return owner_palette()[static_cast<size_t>(lane % 32 / 4 * kOwnerLanes + 6 + lane % 4 * 8)];
}

const OwnerPalette& owner_palette() {
    static const OwnerPalette kPalette = [] {
        OwnerPalette colours;
        size_t at = 0;
        for (int warp = 0; warp < kOwnerWarps; ++warp) {
            for (int lane = 0; lane < kOwnerLanes; ++lane) {
                const double t = static_cast<double>(lane) / (kOwnerLanes - 1);  // lane 0 dark, lane 31 light
                const Rgb base = warp_colour(warp);
                colours[at++] = t < 0.5 ? mix(base, {12, 14, 18}, 0.44 * (1 - 2 * t))
                                        : mix(base, {255, 255, 255}, 0.30 * (2 * t - 1));
            }
        }
        return colours;
    }();
    return kPalette;
}

}  // namespace wl::app
