// A launch of a program as a file that is replayed anywhere (docs/record.md).
#pragma once

#include "instrumentation/execution/memory.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/runtime/findings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::runtime {

// With the module's variables and the allocations that the parameters' pointers, and pointers in those,
// reach. `after`: memory as the launch left it.
launches::RecordedLaunch record_of(
    const Asked& asked,
    const execution::GlobalMemory& after,
    uint64_t of_entry,
    std::vector<std::string> command
);

}  // namespace wl::runtime
