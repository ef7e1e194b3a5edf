// Textures to fetch from and the coordinates to fetch at.
#pragma once

#include "tests/conformance/kernel.h"

namespace wl::conformance {

struct Geometry {
    int dimensions = 1;
    bool layered = false;
};
// By the word of the mnemonic: 1d, 2d, 3d, a1d, a2d. False: it has another geometry or none.
bool parse_geometry(const Variant& v, Geometry& g);

constexpr uint32_t kLayers = 3;

// Extents of 16, 8x8 and 8x4x4 texels. Values are whole and of 8 bits: with weights of up to 16 bits, and of
// 15 in three dimensions, a weighted sum fits in a float.
Image make_image(const Geometry& g, DType dtype, uint32_t channels, uint64_t seed);

struct Fetch {
    Image image;
    uint32_t steps = 32;  // of a coordinate in a texel; 0: any float there, and some that are nowhere
    std::string label;    // of the case's name
    bool offset = false, resident = false;
};
// Of an image of four floats.
Fetch with_mode(
    const Geometry& g, execution::AddressMode mode, bool linear, bool normalized, const std::string& label
);
// Coordinates of 64 threads, from two texels before the first to two behind the last.
std::vector<uint64_t> floating_coordinates(const Fetch& f, size_t axis);

// What tells a filter's arithmetic: texels whose weighted sums are not exact, coordinates of 24 bits in
// extents that are no powers of two, an address mode for each axis.
std::vector<Fetch> arithmetic_fetches(const Geometry& g);

}  // namespace wl::conformance
