// Hazards of a kernel: what the checks see, and what other orders of its warps and blocks come to.
#pragma once

#include "instrumentation/diagnosis/device/delays.h"
#include "instrumentation/diagnosis/orders/explore.h"

#include <cstdint>
#include <optional>

namespace wl::diagnosis {

// Every check that needs no reference, and other schedules: a capture with its findings.
struct Hazards {
    capture::Capture capture;
    Exploration exploration;
    std::optional<DeviceExploration> device;
};

// `device`: who tries the races on hardware too, with as many runs; none: nobody.
Hazards find_hazards(
    manifest::Problem problem,
    Options options,
    uint64_t schedules,
    const std::optional<execution::Executor>& device = std::nullopt
);

}  // namespace wl::diagnosis
