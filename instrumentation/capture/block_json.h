// A block as every JSON answer names it.
#pragma once

#include "instrumentation/base/dim3.h"

#include <nlohmann/json.hpp>

namespace wl::capture {

// [2, 1, 0] for a linear index.
inline nlohmann::ordered_json block_json(int64_t block, Dim3 grid) {
    const Dim3 b = from_linear(static_cast<uint64_t>(block), grid);
    return {b.x, b.y, b.z};
}

}  // namespace wl::capture
