// Outputs of a trial against the reference: only what its blocks wrote.
#pragma once

#include "instrumentation/diagnosis/prove/trial.h"

#include <string>
#include <vector>

namespace wl::diagnosis {

// Makes the memory tell which bytes of outputs the launch writes that hold a fill, or what launches before it
// left there; gives the names of their allocations. What the kernel reads of them stays what it was.
std::vector<std::string> watch_outputs(const manifest::Problem& problem, execution::GlobalMemory& memory);
// A read of such a fill is no fault.
bool reads_fill(const execution::Incident& incident, const std::vector<std::string>& filled);

// A read of what nobody wrote, or of a lane that takes no part in a shuffle: it matters only where the value
// goes.
bool is_followed(const execution::Incident& incident);

// Adds the written elements of every output to the trial's figures; the other blocks did not run.
void judge_outputs(
    const Inputs& inputs, const execution::GlobalMemory& memory, const TrialOptions& options, Trial& out
);

}  // namespace wl::diagnosis
