// An executor on a GPU whose runs happen in a process of their own: for programs that may fault or never end,
// after which a process can use no GPU any more (executor.h).
#pragma once

#include "instrumentation/execution/executor.h"

#include <string>
#include <vector>

namespace wl::gpu {

// What the program is started with, and a device's number, to be that process.
constexpr const char* kRunsVerb = "__runs";

// `command` becomes serve_runs of the same device. One process runs what is asked, one after the other,
// whichever thread asks. A run that takes longer than four times what the first took that ended, or than a
// second where that is more, is ended with its process, and is a device_fault; so is one whose kernel faults.
// The run behind it begins another process. A run takes tiles and outputs, no stores, and prints nothing.
// Throws Unsupported where there is no such device.
execution::Executor isolated_executor(int device, std::vector<std::string> command);

// The process: runs what comes over the socket, its stdin, and answers, until there is nothing more. Its exit
// status.
int serve_runs(int device, int socket);

}  // namespace wl::gpu
