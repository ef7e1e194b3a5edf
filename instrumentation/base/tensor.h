// A named n-dimensional array in its own element format, row-major; what arguments, inputs and references are
// made of.
#pragma once

#include "instrumentation/base/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl {

struct Tensor {
    std::string name;
    DType dtype = DType::f32;
    std::vector<int64_t> shape;    // empty: a scalar
    std::vector<std::byte> bytes;  // elements(shape) * size_of(dtype)
};

inline int64_t elements(const std::vector<int64_t>& shape) {
    int64_t n = 1;
    for (const int64_t extent : shape) n *= extent;
    return n;
}
inline double at(const Tensor& t, int64_t i) {
    return to_double(t.dtype, t.bytes.data() + static_cast<size_t>(i) * size_of(t.dtype));
}

}  // namespace wl
