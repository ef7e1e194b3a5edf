// Progress on stderr, and the two ways a run is stopped from outside: Ctrl-C and SIGTERM.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/diagnosis/run.h"

#include <functional>

namespace wl::app {

// From here on SIGINT and SIGTERM ask the run to stop; a second SIGINT ends the process as usual.
void catch_interrupts();
bool interrupted();

// Lines "progress run 0.42" with --progress; a rewritten line on a terminal once a run takes more than a
// second; nothing with --quiet.
std::function<bool(const diagnosis::Progress&)> progress_reporter(const OutputOptions& options);

}  // namespace wl::app
