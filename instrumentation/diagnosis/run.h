// From a problem to a capture: compile, execute and assemble, diagnose.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/execution/result.h"

#include <vector>

namespace wl::diagnosis {

// What went wrong in a launch, by the rules: the capture's findings.
void explain(const Experiment& e, capture::Capture& capture, std::vector<execution::Incident>& incidents);

// The whole: prepare, both passes, reference, diff, diagnosis. The capture's verdict is one of
// capture::kVerdictWords. Throws Error (compile error, bad launch) and Cancelled. `seen`: what the executor
// saw go wrong, site by site.
capture::Capture run(
    manifest::Problem problem, const Options& options, std::vector<execution::Incident>* seen = nullptr
);
// The same of an experiment that is made; `about`: what make_experiment filled.
capture::Capture run(
    const Experiment& e, capture::Capture about, std::vector<execution::Incident>* seen = nullptr
);
// The same in another schedule, which shows a race that schedule 0 does not.
capture::Capture run_in_schedule(
    const Experiment& e, capture::Capture about, uint64_t seed, std::vector<execution::Incident>* seen
);

}  // namespace wl::diagnosis
