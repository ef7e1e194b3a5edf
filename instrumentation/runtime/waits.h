// Launches that wait for what no block of them does, and that end as nobody else does it here. On a GPU
// another thread of the host, or another process, may: so that is no defect of the kernel, but a limit of
// ours.
#pragma once

#include "instrumentation/runtime/machine.h"

#include <string>
#include <vector>

namespace wl::runtime {

// Takes such a wait out of `incidents`, and says what it waits for; empty: there is none. `before`: memory as
// the launch found it.
std::string taken_for_wait_of_others(
    const Machine& machine,
    const execution::Listing& listing,
    const ptx::Module& module,
    const execution::GlobalMemory& before,
    std::vector<execution::Incident>& incidents
);

}  // namespace wl::runtime
