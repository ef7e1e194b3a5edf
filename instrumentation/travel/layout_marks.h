// Matrices that WL_LAYOUT marks describe, with what lay there when the block came to the mark.
#pragma once

#include "instrumentation/layouts/matrix.h"
#include "instrumentation/travel/route.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::travel {

// The matrix that the mark describes by a notation; nothing: by numbers. `begin` is not meant. Throws Error
// that names the mark.
std::optional<layouts::Matrix> notation_of(const ptx::Mark& mark);

struct LaidOut {
    std::string name;
    DType dtype = DType::f32;
    uint64_t order = 0;  // instants of the block before the mark
    int rows = 0, cols = 0;
    std::vector<std::byte> values;  // rows * cols, row-major, whatever the order in memory
};

// For each name the last mark before instant `before`. Matrices that leave their memory are left out.
std::vector<LaidOut> laid_out(Route& route, uint64_t before);

}  // namespace wl::travel
