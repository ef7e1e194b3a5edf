// Models point and linear filtering with weights of 8 bits, four address modes, layers, and reading as
// normalized numbers. Not modelled: levels of a mipmap but the first, anisotropy, cube maps, depth
// comparison, sRGB.
#include "instrumentation/emulator/texture.h"

#include "instrumentation/emulator/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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

// Of integers that are read as floats the lowest signed one is -1, as the next.
uint32_t channel(const Texture& t, const std::byte* at) {
    switch (t.dtype) {
        case DType::u8: {
            const auto v = channel_as<uint8_t>(at);
            return t.as_float ? from_float(static_cast<float>(v) / 255.0f) : v;
        }
        case DType::s8: {
            const auto v = channel_as<int8_t>(at);
            return t.as_float ? from_float(std::max(static_cast<float>(v) / 127.0f, -1.0f))
                              : static_cast<uint32_t>(v);
        }
        case DType::u16: {
            const auto v = channel_as<uint16_t>(at);
            return t.as_float ? from_float(static_cast<float>(v) / 65535.0f) : v;
        }
        case DType::s16: {
            const auto v = channel_as<int16_t>(at);
            return t.as_float ? from_float(std::max(static_cast<float>(v) / 32767.0f, -1.0f))
                              : static_cast<uint32_t>(v);
        }
        case DType::f16: return from_float(half_to_float(channel_as<uint16_t>(at)));
        default: return channel_as<uint32_t>(at);
    }
}

int64_t modulo(int64_t i, int64_t n) { return ((i % n) + n) % n; }

// The texel that stands for i; -1: the border. Wrapping and mirroring need normalized coordinates.
int64_t addressed(const Texture& t, int axis, int64_t i, bool integer) {
    const auto a = static_cast<size_t>(axis);
    const auto n = static_cast<int64_t>(t.extent[a]);
    if (i >= 0 && i < n) return i;
    AddressMode mode = integer ? AddressMode::border : t.address[a];
    if (!t.normalized && (mode == AddressMode::wrap || mode == AddressMode::mirror))
        mode = AddressMode::clamp;
    switch (mode) {
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
    bool integer = false;
};

Texel texel(const Texture& t, const std::byte* texels, const Index& index) {
    std::array<uint64_t, 3> at{};
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t i = addressed(t, axis, index.at[static_cast<size_t>(axis)], index.integer);
        if (i < 0) {
            Texel border{};
            for (size_t c = 0; c < 4; ++c)
                border[c] = reads_floats(t) ? from_float(t.border[c]) : static_cast<uint32_t>(t.border[c]);
            return border;
        }
        at[static_cast<size_t>(axis)] = static_cast<uint64_t>(i);
    }
    const uint64_t slice = t.layers != 0 ? std::min(index.layer, t.layers - 1) : at[2];
    const std::byte* first = texels + ((slice * t.extent[1] + at[1]) * t.extent[0] + at[0]) * texel_bytes(t);
    Texel result{};  // channels that the texture lacks are 0, the fourth too (measured on an H200)
    for (size_t c = 0; c < t.channels; ++c) result[c] = channel(t, first + c * size_of(t.dtype));
    return result;
}

// In texels, as exact as a double. A coordinate that is none counts as 0.
double scaled(const Texture& t, const TexturePoint& point, size_t axis) {
    double x = point.at[axis];
    if (!(std::fabs(x) < 0x1p60)) x = std::isnan(x) ? 0 : std::copysign(0x1p60, x);
    if (t.normalized) {
        // Whole turns go first, as they do where coordinates have few bits.
        if (t.address[axis] == AddressMode::wrap) x -= std::floor(x);
        if (t.address[axis] == AddressMode::mirror) x -= 2 * std::floor(x / 2);
        x *= t.extent[axis];
    }
    return std::clamp(x, -0x1p40, 0x1p40);
}

// The lower texel of a pair and the weight of the upper, in 256ths.
struct Footprint {
    int64_t low = 0;
    int weight = 0;
};
Footprint footprint(const Texture& t, const TexturePoint& point, size_t axis) {
    const auto fixed = static_cast<int64_t>(std::floor(scaled(t, point, axis) * 256 + 0.5)) - 128;
    return {(fixed >> 8) + point.offset[axis], static_cast<int>(fixed & 255)};
}

Texel filtered(const Texture& t, const std::byte* texels, const TexturePoint& point) {
    const auto dimensions = static_cast<size_t>(std::clamp(point.dimensions, 1, 3));
    std::array<Footprint, 3> axes{};
    for (size_t axis = 0; axis < dimensions; ++axis) axes[axis] = footprint(t, point, axis);
    std::array<double, 4> sum{};
    for (size_t corner = 0; corner < size_t{1} << dimensions; ++corner) {
        Index index;
        index.layer = point.layer;
        double weight = 1;
        for (size_t axis = 0; axis < dimensions; ++axis) {
            const bool upper = (corner >> axis & 1) != 0;
            index.at[axis] = axes[axis].low + (upper ? 1 : 0);
            weight *= (upper ? axes[axis].weight : 256 - axes[axis].weight) / 256.0;
        }
        if (weight == 0) continue;
        const Texel value = texel(t, texels, index);
        for (size_t c = 0; c < 4; ++c) sum[c] += weight * double{std::bit_cast<float>(value[c])};
    }
    Texel result{};
    for (size_t c = 0; c < 4; ++c) result[c] = from_float(static_cast<float>(sum[c]));
    return result;
}

}  // namespace

uint32_t texel_bytes(const Texture& t) { return t.channels * static_cast<uint32_t>(size_of(t.dtype)); }

uint64_t texture_bytes(const Texture& t) {
    return uint64_t{texel_bytes(t)} * t.extent[0] * t.extent[1] * slices(t);
}

Texel sample(const Texture& t, const std::byte* texels, const TexturePoint& point) {
    if (!point.integer && t.linear && reads_floats(t)) return filtered(t, texels, point);
    Index index;
    index.layer = point.layer;
    index.integer = point.integer;
    for (size_t axis = 0; axis < static_cast<size_t>(point.dimensions); ++axis)
        index.at[axis] = point.offset[axis] +
            (point.integer ? int64_t{point.texel[axis]}
                           : static_cast<int64_t>(std::floor(scaled(t, point, axis))));
    return texel(t, texels, index);
}

Texel gather(const Texture& t, const std::byte* texels, const TexturePoint& point, uint32_t channel) {
    const Footprint x = footprint(t, point, 0), y = footprint(t, point, 1);
    constexpr std::array<std::array<int, 2>, 4> kCorners{
        {{0, 1}, {1, 1}, {1, 0}, {0, 0}}
    };
    Texel result{};
    for (size_t k = 0; k < 4; ++k) {
        Index index;
        index.layer = point.layer;
        index.at = {x.low + kCorners[k][0], y.low + kCorners[k][1], 0};
        result[k] = texel(t, texels, index)[channel];
    }
    return result;
}

}  // namespace wl::emulator
