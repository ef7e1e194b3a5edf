// Linear filtering: the weights of the texels around a point, and their weighted sum, as an H200 computes
// them (tests/golden/ptx/textures.golden; docs/measured/README.md, "How textures filter").
#pragma once

#include "instrumentation/base/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace wl::emulator {

// A point between two texels of one axis: the lower one, and the weight of the upper one in 256ths.
struct Footprint {
    int64_t low = 0;
    int weight = 0;
};

// Weights in 256ths of the eight texels around a point, x varying fastest, then y; they sum to 256.
std::array<int, 8> corner_weights(const std::array<Footprint, 3>& axes);

// One channel of eight texels, and what each weighs.
struct Blend {
    std::array<uint32_t, 8> values{};  // floats: as f32; u8 s8 u16 s16, read as numbers: the integers
    std::array<int, 8> weights{};
};
// The weighted sum, as the bits of an f32. `dtype`: what the texture holds, f32 f16 u8 s8 u16 s16.
uint32_t blended(DType dtype, const Blend& blend);

}  // namespace wl::emulator
