// Images with whole texels for exact sums, and with any texels where the sum's own rounding is the question.
#include "tests/conformance/fetch.h"

#include "instrumentation/base/dtype.h"

#include <bit>
#include <cstring>

namespace wl::conformance {
namespace {

using execution::AddressMode;
using execution::Texture;
using ptx::Type;

constexpr AddressMode kModes[] = {
    AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};
constexpr const char* kModeNames[] = {"wrap", "clamp", "mirror", "border"};

enum class Values : uint8_t {
    near,  // floats of [1, 2) and their negatives: each bit of a sum counts
    wide,  // floats of 40 powers of two: what a sum loses beside a larger term
    any    // any bits: for floats also infinities, NaN and subnormals
};

uint32_t float_bits(Random& random, Values values) {
    const auto bits = static_cast<uint32_t>(next(random));
    if (values == Values::any) return bits;
    const uint32_t exponent = values == Values::near ? 127 : 107 + static_cast<uint32_t>(below(random, 41));
    return (bits & 0x807f'ffff) | exponent << 23;
}

void fill(Image& image, Values values, uint64_t seed) {
    Random random{seed};
    auto& bytes = image.texels.bytes;
    const size_t size = size_of(image.texture.dtype);
    const auto odd = edges({image.texture.dtype == DType::f16 ? Type::f16 : Type::f32, Flavour::plain});
    const bool floating = image.texture.dtype == DType::f32 || image.texture.dtype == DType::f16;
    for (size_t at = 0; at < bytes.size(); at += size) {
        uint64_t value = size == 4 ? float_bits(random, values) : next(random);
        if (image.texture.dtype == DType::f16 && values != Values::any && (value & 0x7c00) == 0x7c00)
            value &= ~uint64_t{0x4000};
        if (floating && values == Values::any && below(random, 4) == 0)
            value = odd[below(random, odd.size())];
        std::memcpy(&bytes[at], &value, size);
    }
}

Image filled(const Geometry& g, DType dtype, Values values, uint64_t seed) {
    Image image = make_image(g, dtype, 4, seed);
    image.texture.as_float = dtype != DType::f32 && dtype != DType::f16;
    fill(image, values, seed);
    return image;
}

// The same texels in extents of 13, 7x9 and 5x3x7.
void make_uneven(Image& image) {
    Texture& t = image.texture;
    t.extent = image.dimensions == 1 ? std::array<uint32_t, 3>{13, 1, 1}
        : image.dimensions == 2      ? std::array<uint32_t, 3>{7, 9, 1}
                                     : std::array<uint32_t, 3>{5, 3, 7};
    image.texels.bytes.resize(execution::texture_bytes(t));
}

std::vector<Fetch> sums(const Geometry& g) {
    std::vector<Fetch> all;
    const auto add = [&](DType dtype, Values values, bool linear, const std::string& label) {
        Fetch& f = all.emplace_back();
        f.image = filled(g, dtype, values, 137 + all.size());
        f.image.texture.linear = linear;
        f.steps = 256;
        f.label = (linear ? "linear, " : "point, ") + label;
    };
    add(DType::f32, Values::near, true, "f32 of one size");
    add(DType::f32, Values::wide, true, "f32 of many sizes");
    add(DType::f32, Values::any, true, "any f32");
    add(DType::f16, Values::wide, true, "f16 of many sizes");
    add(DType::f16, Values::any, true, "any f16");
    for (const DType dtype : {DType::u8, DType::s8, DType::u16, DType::s16})
        for (const bool linear : {false, true})
            add(dtype, Values::any, linear, "any " + std::string(name_of(dtype)));
    return all;
}

std::vector<Fetch> places(const Geometry& g) {
    std::vector<Fetch> all;
    for (const bool linear : {false, true})
        for (const bool normalized : {false, true}) {
            const std::string label =
                std::string(linear ? "linear" : "point") + (normalized ? " normalized" : "");
            for (size_t mode = 0; mode < 4; ++mode) {
                Fetch f = with_mode(
                    g, kModes[mode], linear, normalized, label + " " + kModeNames[mode] + " uneven"
                );
                make_uneven(f.image);
                f.image.texture.border = {5, -6, 7, 0.5f};
                f.steps = 0;
                all.push_back(f);
            }
            for (size_t first = 0; first < 4; ++first) {
                Fetch f = with_mode(
                    g, kModes[first], linear, normalized, label + " " + kModeNames[first] + " first of modes"
                );
                f.image.texture.address[1] = kModes[(first + 1) % 4];
                f.image.texture.address[2] = kModes[(first + 2) % 4];
                f.image.texture.border = {5, -6, 7, 0.5f};
                all.push_back(f);
            }
        }
    return all;
}

}  // namespace

bool parse_geometry(const Variant& v, Geometry& g) {
    for (const std::string_view w : v.words) {
        g.layered = w == "a1d" || w == "a2d";
        if (!g.layered && w != "1d" && w != "2d" && w != "3d") continue;
        g.dimensions = w[g.layered ? 1 : 0] - '0';
        return true;
    }
    return false;
}

Image make_image(const Geometry& g, DType dtype, uint32_t channels, uint64_t seed) {
    Image image;
    Texture& t = image.texture;
    t.dtype = dtype;
    t.channels = channels;
    t.extent = g.dimensions == 1 ? std::array<uint32_t, 3>{16, 1, 1}
        : g.dimensions == 2      ? std::array<uint32_t, 3>{8, 8, 1}
                                 : std::array<uint32_t, 3>{8, 4, 4};
    t.layers = g.layered ? kLayers : 0;
    image.dimensions = g.dimensions;
    image.texels.type = Type::b8;
    image.texels.bytes.resize(execution::texture_bytes(t));
    Random random{seed};
    const size_t size = size_of(dtype);
    const bool is_unsigned = dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32;
    for (size_t at = 0; at < image.texels.bytes.size(); at += size)
        from_double(
            dtype,
            is_unsigned ? static_cast<double>(below(random, 256))
                        : static_cast<double>(below(random, 256)) - 128,
            &image.texels.bytes[at]
        );
    return image;
}

Fetch with_mode(const Geometry& g, AddressMode mode, bool linear, bool normalized, const std::string& label) {
    Fetch f;
    f.image = make_image(g, DType::f32, 4, 101);
    f.image.texture.address.fill(mode);
    f.image.texture.linear = linear;
    f.image.texture.normalized = normalized;
    f.label = label;
    return f;
}

std::vector<uint64_t> floating_coordinates(const Fetch& f, size_t axis) {
    const Texture& t = f.image.texture;
    Random random{91 + axis};
    std::vector<uint64_t> values;
    const uint32_t extent = t.extent[axis];
    if (f.steps == 0) values = edges({Type::f32, Flavour::plain});
    if (values.size() > 16) values.resize(16);
    for (size_t i = 0; i < values.size(); ++i) std::swap(values[i], values[below(random, i + 1)]);
    const uint64_t steps = f.steps == 0 ? uint64_t{1} << 40 : f.steps;
    while (values.size() < 64) {
        const auto step = static_cast<double>(below(random, (extent + 4) * steps));
        const double x = step / static_cast<double>(steps) - 2;
        values.push_back(std::bit_cast<uint32_t>(static_cast<float>(t.normalized ? x / extent : x)));
    }
    return values;
}

std::vector<Fetch> arithmetic_fetches(const Geometry& g) {
    std::vector<Fetch> all = sums(g);
    for (Fetch& f : places(g)) all.push_back(std::move(f));
    return all;
}

}  // namespace wl::conformance
