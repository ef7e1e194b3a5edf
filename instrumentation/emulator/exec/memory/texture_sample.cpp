// Models point and linear filtering, four address modes, layers, and reading as normalized numbers. Not
// modelled: levels of a mipmap but the first, anisotropy, filtering of cube maps, depth comparison, sRGB.
#include "instrumentation/emulator/exec/memory/texture_sample.h"

#include "instrumentation/emulator/exec/memory/texture_filter.h"
#include "instrumentation/emulator/exec/values/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace wl::emulator {
namespace {

bool reads_floats(const Texture& t) { return t.as_float || t.dtype == DType::f32 || t.dtype == DType::f16; }

template <class T>
T channel_as(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

uint32_t from_float(float x) { return std::bit_cast<uint32_t>(x); }

// Integers as they are, floats as f32.
uint32_t channel(const Texture& t, const std::byte* at) {
    switch (t.dtype) {
        case DType::u8: return channel_as<uint8_t>(at);
        case DType::s8: return static_cast<uint32_t>(channel_as<int8_t>(at));
        case DType::u16: return channel_as<uint16_t>(at);
        case DType::s16: return static_cast<uint32_t>(channel_as<int16_t>(at));
        case DType::f16: return from_float(half_to_float(channel_as<uint16_t>(at)));
        default: return channel_as<uint32_t>(at);
    }
}

// The integer that is read as 1. Of signed ones the lowest is read as -1, as the next.
float one_of(DType dtype) {
    switch (dtype) {
        case DType::u8: return 255;
        case DType::s8: return 127;
        case DType::u16: return 65535;
        default: return 32767;
    }
}
uint32_t as_number(DType dtype, uint32_t value) {
    return from_float(std::max(static_cast<float>(static_cast<int32_t>(value)) / one_of(dtype), -1.0f));
}

int64_t modulo(int64_t i, int64_t n) { return ((i % n) + n) % n; }

// Wrapping and mirroring need normalized coordinates.
AddressMode mode_of(const Texture& t, size_t axis) {
    const AddressMode mode = t.address[axis];
    const bool turns = mode == AddressMode::wrap || mode == AddressMode::mirror;
    return turns && !t.normalized ? AddressMode::clamp : mode;
}

// The texel that stands for i; -1: the border.
int64_t addressed(const Texture& t, size_t axis, int64_t i, const std::optional<AddressMode>& instead) {
    const auto n = static_cast<int64_t>(t.extent[axis]);
    if (i >= 0 && i < n) return i;
    switch (instead.value_or(mode_of(t, axis))) {
        case AddressMode::wrap: return modulo(i, n);
        case AddressMode::mirror: {
            const int64_t at = modulo(i, 2 * n);
            return at < n ? at : 2 * n - 1 - at;
        }
        case AddressMode::border: return -1;
        default: return std::clamp<int64_t>(i, 0, n - 1);
    }
}

struct Index {
    std::array<int64_t, 3> at{};
    uint32_t layer = 0;
    std::optional<AddressMode> mode;  // instead of the texture's
};

Texel border_of(const Texture& t) {
    Texel border{};
    for (size_t c = 0; c < 4; ++c)
        border[c] = t.as_float ? static_cast<uint32_t>(std::lround(t.border[c] * one_of(t.dtype)))
            : reads_floats(t)  ? from_float(t.border[c])
                               : static_cast<uint32_t>(t.border[c]);
    return border;
}

// Integers that are read as numbers still as integers.
Texel unscaled(const Texture& t, const std::byte* texels, const Index& index) {
    std::array<uint64_t, 3> at{};
    for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t i = addressed(t, axis, index.at[axis], index.mode);
        if (i < 0) return border_of(t);
        at[axis] = static_cast<uint64_t>(i);
    }
    const uint64_t slice = t.layers != 0 ? std::min(index.layer, t.layers - 1) : at[2];
    const std::byte* first = texels + ((slice * t.extent[1] + at[1]) * pitch(t) + at[0]) * texel_bytes(t);
    Texel result{};  // channels that the texture lacks are 0, the fourth too (measured on an H200)
    for (size_t c = 0; c < t.channels; ++c) result[c] = channel(t, first + c * size_of(t.dtype));
    return result;
}

Texel texel(const Texture& t, const std::byte* texels, const Index& index) {
    Texel result = unscaled(t, texels, index);
    if (t.as_float)
        for (uint32_t& value : result) value = as_number(t.dtype, value);
    return result;
}

// In texels, as exact as a double. A coordinate that is none counts as 0, and so does a subnormal one.
double scaled(const Texture& t, const TexturePoint& point, size_t axis) {
    double x = point.at[axis];
    if (!(std::fabs(x) < 0x1p60)) x = std::isnan(x) ? 0 : std::copysign(0x1p60, x);
    if (std::fabs(x) < 0x1p-126) x = 0;
    if (t.cube) return std::clamp<double>(x, 0, 1) * t.extent[axis];
    if (t.normalized) {
        // Whole turns go first, as they do where coordinates have few bits.
        if (t.address[axis] == AddressMode::wrap) x -= std::floor(x);
        if (t.address[axis] == AddressMode::mirror) x -= 2 * std::floor(x / 2);
        x *= t.extent[axis];
    }
    return std::clamp(x, -0x1p40, 0x1p40);
}

// Of coordinates rounded to 256ths of a texel, a half up.
int64_t fixed_point(const Texture& t, const TexturePoint& point, size_t axis) {
    const auto fixed = static_cast<int64_t>(std::floor(scaled(t, point, axis) * 256 + 0.5)) - 128;
    return fixed + int64_t{point.offset[axis]} * 256;
}

// A clamped coordinate moves to the centre of the outermost texel, so that only this one counts.
Footprint footprint(const Texture& t, const TexturePoint& point, size_t axis) {
    int64_t fixed = fixed_point(t, point, axis);
    if (mode_of(t, axis) == AddressMode::clamp)
        fixed = std::clamp<int64_t>(fixed, 0, (int64_t{t.extent[axis]} - 1) * 256);
    return {fixed >> 8, static_cast<int>(fixed & 255)};
}

// One dimension without layers is the row at y = 0 of two: halfway between row 0 and what the second address
// mode puts before it.
Texel filtered(const Texture& t, const std::byte* texels, const TexturePoint& point) {
    auto dimensions = static_cast<size_t>(std::clamp(point.dimensions, 1, 3));
    if (dimensions == 1 && t.layers == 0) dimensions = 2;
    std::array<Footprint, 3> axes{};
    for (size_t axis = 0; axis < dimensions; ++axis) axes[axis] = footprint(t, point, axis);
    const std::array<int, 8> weights = corner_weights(axes);
    // A channel that the texture lacks is 0 everywhere but on the border.
    const bool bordered = std::count(t.address.begin(), t.address.end(), AddressMode::border) != 0;
    const size_t channels = bordered ? 4 : t.channels;
    std::array<Blend, 4> blends;
    for (size_t corner = 0; corner < weights.size(); ++corner) {
        if (weights[corner] == 0) continue;
        Index index;
        index.layer = point.layer;
        for (size_t axis = 0; axis < dimensions; ++axis)
            index.at[axis] = axes[axis].low + static_cast<int64_t>(corner >> axis & 1);
        const Texel value = unscaled(t, texels, index);
        for (size_t c = 0; c < channels; ++c) {
            blends[c].values[corner] = value[c];
            blends[c].weights[corner] = weights[corner];
        }
    }
    Texel result{};
    for (size_t c = 0; c < channels; ++c) result[c] = blended(t.dtype, blends[c]);
    return result;
}

}  // namespace

TexturePoint on_cube(const TexturePoint& direction) {
    const auto [x, y, z] = direction.at;
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    TexturePoint point = direction;
    uint32_t axis = 2;  // the guide leaves open which face a tie is of
    float m = az, s = std::signbit(z) ? -x : x, t = -y;
    bool negative = std::signbit(z);
    if (ax > ay && ax > az)
        axis = 0, m = ax, s = std::signbit(x) ? z : -z, t = -y, negative = std::signbit(x);
    else if (ay > az)
        axis = 1, m = ay, s = x, t = std::signbit(y) ? -z : z, negative = std::signbit(y);
    point.at = {(s / m + 1) / 2, (t / m + 1) / 2, 0};
    point.layer = 6 * direction.layer + 2 * axis + (negative ? 1 : 0);
    point.dimensions = 2;
    return point;
}

Texel sample(const Texture& t, const std::byte* texels, const TexturePoint& point) {
    if (!point.integer && t.linear && reads_floats(t)) return filtered(t, texels, point);
    Index index;
    index.layer = point.layer;
    if (point.integer) index.mode = point.outside;
    for (size_t axis = 0; axis < static_cast<size_t>(point.dimensions); ++axis)
        index.at[axis] = point.offset[axis] +
            (point.integer ? int64_t{point.texel[axis]}
                           : static_cast<int64_t>(std::floor(scaled(t, point, axis))));
    return texel(t, texels, index);
}

Texel gather(const Texture& t, const std::byte* texels, const TexturePoint& point, uint32_t channel) {
    const int64_t x = fixed_point(t, point, 0) >> 8, y = fixed_point(t, point, 1) >> 8;
    constexpr std::array<std::array<int, 2>, 4> kCorners{
        {{0, 1}, {1, 1}, {1, 0}, {0, 0}}
    };
    Texel result{};
    for (size_t k = 0; k < 4; ++k) {
        Index index;
        index.layer = point.layer;
        index.at = {x + kCorners[k][0], y + kCorners[k][1], 0};
        result[k] = texel(t, texels, index)[channel];
    }
    return result;
}

}  // namespace wl::emulator
