// The memory that a wrong access lies in.
#pragma once

#include "instrumentation/execution/incident.h"
#include "instrumentation/runtime/device_memory.h"

#include <cstddef>
#include <span>
#include <vector>

namespace wl::runtime {

// Accesses that lie in memory which the program gave back say so; where the launch was given its address
// the distance to memory that is still there says nothing. So are those in memory of the host.
void name_memory(
    const DeviceMemory& memory, std::span<const std::byte> params, std::vector<execution::Incident>& incidents
);

}  // namespace wl::runtime
