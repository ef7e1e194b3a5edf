// Which lanes of a request shared memory serves together.
#pragma once

#include "instrumentation/base/banks.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace wl {

// Masks of lanes in the order they are served, at most four; only phases with an active lane.
struct Phases {
    std::array<uint32_t, 4> lanes{};
    size_t count = 0;
};
// As measured on an H200 (docs/measured/banks-h200.json).
Phases phases_of(const LaneAccesses& request);

}  // namespace wl
