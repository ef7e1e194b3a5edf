// From what an executor returns to a capture: the one place where that is done, whoever executed.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/execution/executor.h"

#include <vector>

namespace wl::diagnosis {

// The capture's launch and sites; names the executor.
void describe_launch(const Experiment& e, const execution::Executable& executable, capture::Capture& capture);

// What goes into the capture of a launch: with its reference, and what is not judged behind it.
Observer observer_of(const Experiment& e, const execution::Executable& executable, capture::Capture& capture);

// The launch, every block fast and its tiles compared with the reference. Fills probes, tiles, counters,
// notes. Throws Cancelled.
struct Pass {
    std::vector<execution::Incident> incidents;  // once per cause
    bool finished = true;                        // every block came to its end
    execution::Contest contest;
};
Pass run_pass(
    const Experiment& e,
    const execution::Executable& executable,
    Prepared& prepared,
    capture::Capture& capture
);

// The outputs as the launch left them.
void compare_pass(
    const Experiment& e,
    const execution::Executable& executable,
    const execution::GlobalMemory& memory,
    capture::Capture& capture
);

// With which a launch comes to no end by itself.
bool never_ends(execution::Incident::Kind kind);
// One of these, or what ends a launch before its blocks have ended.
bool ends_early(const std::vector<execution::Incident>& incidents);
// Whether a loop came to no end.
bool is_endless(const std::vector<execution::Incident>& incidents);

// Where the executor can, the block that matters and those that were asked for once more, with everything
// recorded. Adds what went wrong there.
void record_pass(
    const Experiment& e,
    const execution::Executable& executable,
    capture::Capture& capture,
    std::vector<execution::Incident>& incidents
);

}  // namespace wl::diagnosis
