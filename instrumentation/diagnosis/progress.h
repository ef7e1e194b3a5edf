// How far a run is, and whether it goes on.
#pragma once

#include "instrumentation/diagnosis/case.h"

namespace wl::diagnosis {

execution::RunOptions run_options(const Options& options, const char* stage);

// Throws Cancelled when the one who asked has had enough.
void report(const Options& options, const char* stage, double fraction);

}  // namespace wl::diagnosis
