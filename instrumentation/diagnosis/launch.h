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

// Fresh inputs and poisoned outputs. Throws Error when the manifest's arguments do not fit the entry's
// parameters.
Prepared prepare_launch(const manifest::Problem& problem, const ptx::Function& entry);

// The argument's array as the kernel left it.
const std::vector<std::byte>& array_of(const execution::GlobalMemory& memory, const std::string& argument);

}  // namespace wl::diagnosis
