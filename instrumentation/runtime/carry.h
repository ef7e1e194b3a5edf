// Memory that the host sees without a copy, to the host after a launch: only what the launch changed, as
// another thread of the host may write beside it.
#pragma once

#include "instrumentation/runtime/device_memory.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace wl::runtime {

// Of allocations by their bases; nothing: any.
void carry_out(DeviceMemory& memory, const std::optional<std::vector<uint64_t>>& written);

// What they hold, to tell later which of them a launch has changed.
using Contents = std::map<uint64_t, uint64_t>;
Contents contents_outside(const DeviceMemory& memory);
std::vector<uint64_t> changed_since(const DeviceMemory& memory, const Contents& before);

}  // namespace wl::runtime
