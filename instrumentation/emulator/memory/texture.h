// Textures and surfaces: what a handle stands for, and what a sample of it is. CUDA C++ Programming
// Guide 13.0, "Texture Fetching".
#pragma once

#include "instrumentation/base/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace wl::emulator {

enum class AddressMode : uint8_t { wrap, clamp, mirror, border };

// Texels in one allocation, densely: channels, then x, y, and z or the layer.
struct Texture {
    std::string name;                         // of the argument, or of the .texref or .surfref variable
    uint64_t data = 0;                        // device address of the first texel
    DType dtype = DType::f32;                 // of a channel: u8 s8 u16 s16 u32 s32 f16 f32
    uint32_t channels = 1;                    // 1, 2 or 4
    std::array<uint32_t, 3> extent{1, 1, 1};  // x, y, z
    uint32_t layers = 0;                      // 0: not layered
    bool as_float = false;                    // u8 s8 u16 s16 are read as numbers of [0, 1] or [-1, 1]
    bool normalized = false;                  // coordinates run from 0 to 1
    bool linear = false;  // filter; integers that are not read as floats are never filtered
    std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    std::array<float, 4> border{};
};

uint32_t texel_bytes(const Texture& t);
uint64_t texture_bytes(const Texture& t);
inline uint32_t slices(const Texture& t) { return t.layers != 0 ? t.layers : t.extent[2]; }

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

// `texels`: texture_bytes(t) bytes.
Texel sample(const Texture& t, const std::byte* texels, const TexturePoint& point);
// One channel of the four texels that a bilinear sample reads: (x0, y1), (x1, y1), (x1, y0), (x0, y0).
Texel gather(const Texture& t, const std::byte* texels, const TexturePoint& point, uint32_t channel);

}  // namespace wl::emulator
