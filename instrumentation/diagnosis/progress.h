// How far a run is, and whether it goes on.
#pragma once

#include "instrumentation/diagnosis/case.h"

namespace wl::diagnosis {

execution::RunOptions run_options(const Options& options, const char* stage);

// Throws Cancelled when the one who asked has had enough.
void report(const Options& options, const char* stage, double fraction);

// Ends work whose executor was told to cancel: Stopped where a signal or a ceiling asked for it, else
// Cancelled.
[[noreturn]] void throw_cancelled();

}  // namespace wl::diagnosis
