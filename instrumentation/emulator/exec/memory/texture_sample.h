// What a sample of a texture is. CUDA C++ Programming Guide 13.0, "Texture Fetching".
#pragma once

#include "instrumentation/emulator/contract.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace wl::emulator {

// Four channels of 32 bits, as a texture instruction returns them: floats or integers, by the texture.
using Texel = std::array<uint32_t, 4>;

struct TexturePoint {
    std::array<float, 3> at{};        // floating coordinates ...
    std::array<int32_t, 3> texel{};   // ... or integer ones, which are never filtered or normalized
    std::array<int32_t, 3> offset{};  // texels, added after the coordinates are scaled
    uint32_t layer = 0;
    int dimensions = 1;
    bool integer = false;
    AddressMode outside = AddressMode::border;  // of integer coordinates, whatever the texture's mode
};

// The point of a cube's face that a direction from its centre meets: the axis of the largest coordinate m,
// and (s/m + 1) / 2, (t/m + 1) / 2 on it. CUDA C++ Programming Guide 13.0, "Cubemap Textures". `layer` is the
// cube's, then the face's among all.
TexturePoint on_cube(const TexturePoint& direction);
// `texels`: texture_bytes(t) bytes.
Texel sample(const Texture& t, const std::byte* texels, const TexturePoint& point);
// One channel of the four texels that a bilinear sample reads: (x0, y1), (x1, y1), (x1, y0), (x0, y0).
Texel gather(const Texture& t, const std::byte* texels, const TexturePoint& point, uint32_t channel);

}  // namespace wl::emulator
