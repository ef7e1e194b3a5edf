// Progress on stderr.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/diagnosis/run.h"

#include <functional>

namespace wl::app {

// Lines "progress run 0.42" with --progress; a rewritten line on a terminal once a run takes more than a
// second; nothing with --quiet.
std::function<bool(const diagnosis::Progress&)> progress_reporter(const OutputOptions& options);

}  // namespace wl::app
