// Launches that wait for what no block of them does. On a GPU the host, or work of another stream, may do it
// meanwhile; here a launch runs to its end before anything else goes on. So that is no defect of the kernel,
// but a limit of ours.
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
