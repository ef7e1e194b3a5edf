// CUDA's three-component extents and indices, with the linear order of the hardware (x fastest).
#pragma once

#include <cstdint>

namespace wl {

struct Dim3 {
    uint32_t x = 1, y = 1, z = 1;
    bool operator==(const Dim3&) const = default;
};

inline uint64_t count(Dim3 d) { return uint64_t{d.x} * d.y * d.z; }
inline uint64_t linear(Dim3 index, Dim3 extent) {
    return index.x + uint64_t{extent.x} * (index.y + uint64_t{extent.y} * index.z);
}
inline Dim3 from_linear(uint64_t i, Dim3 extent) {
    return {
        static_cast<uint32_t>(i % extent.x),
        static_cast<uint32_t>(i / extent.x % extent.y),
        static_cast<uint32_t>(i / extent.x / extent.y)};
}

}  // namespace wl
