// A problem laid out for an executor: device memory, parameter buffer, launch shape.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"

namespace wl::diagnosis {

struct Prepared {
    execution::GlobalMemory memory;
    execution::Launch launch;
};

// The arrays of all launches, with fresh inputs and poisoned outputs; tables of addresses filled.
execution::GlobalMemory fresh_memory(const manifest::Problem& problem);

// The launch that is looked at, in that memory. Throws Error when the manifest's arguments do not fit the
// entry's parameters.
execution::Launch launch_in(
    const manifest::Problem& problem, const ptx::Function& entry, const execution::GlobalMemory& memory
);

// Both, of a launch that no other comes before.
Prepared prepare_launch(const manifest::Problem& problem, const ptx::Function& entry);

// The argument's array as the kernel left it.
const std::vector<std::byte>& array_of(const execution::GlobalMemory& memory, const std::string& argument);

}  // namespace wl::diagnosis
