// From what an executor returns to a capture: the one place where that is done, whoever executed.
#pragma once

#include "instrumentation/diagnosis/run.h"
#include "instrumentation/execution/executor.h"

#include <vector>

namespace wl::diagnosis {

// The capture's launch and sites; names the executor.
void describe_launch(const Experiment& e, const execution::Executable& executable, capture::Capture& capture);

// Two passes: every block fast and compared with the reference, then, where the executor can, the block that
// matters and those that were asked for with everything recorded. Fills probes, tiles, outputs, records,
// counters, notes. Returns what went wrong, once per cause. Throws Cancelled.
std::vector<execution::Incident> assemble(
    const Experiment& e, const execution::Executable& executable, capture::Capture& capture
);

}  // namespace wl::diagnosis
