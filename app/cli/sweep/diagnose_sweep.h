// `warplens diagnose --seeds N --presets all`: one kernel with several inputs and shapes, and one verdict.
#pragma once

#include "app/cli/options.h"

namespace wl::app {

// Does the command ask for more than one run?
bool is_sweep(const Command& command);

// Runs them all in this process, prints the worst in full and a line for each, and gives the exit status.
int diagnose_sweep(const Command& command);

}  // namespace wl::app
