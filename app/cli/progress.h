// Progress on stderr, and the ways a run is stopped from outside: Ctrl-C, SIGTERM, SIGHUP.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/diagnosis/run.h"

#include <functional>
#include <sys/types.h>

namespace wl::app {

// From here on SIGINT, SIGTERM and SIGHUP ask the run to stop; the same signal once more ends the process as
// usual.
void catch_interrupts();
// A file that grows beyond its limit (ulimit -f) is an error of the write, not the end of the process. A
// handler, which the programs that we start do not inherit.
void catch_size_limit();
bool interrupted();
bool interrupted_by_terminal();     // which tells every process that it runs
void let_interrupts_end_waits();    // a call that waits then fails with EINTR
int exit_status_of_interruption();  // 128 + the signal, as shells say it

// The process ends (SIGTERM) when `parent` does, however that ends; at once when it is gone already. For a
// worker, whose window can be killed. The parent's thread that started this process must not end before it.
void end_with(pid_t parent);

// Lines "progress run 0.42" with --progress; a rewritten line on a terminal once a run takes more than a
// second; nothing with --quiet.
std::function<bool(const diagnosis::Progress&)> progress_reporter(const OutputOptions& options);

}  // namespace wl::app
