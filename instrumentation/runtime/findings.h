// What a launch of a program did wrong, by the rules that judge every launch.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/execution/executor.h"

#include <memory>
#include <string>
#include <vector>

namespace wl::runtime {

// A launch as the program asked for it.
struct Asked {
    const ptx::Module& module;
    std::string entry, shown;  // mangled, and as people write it
    int number = 0;            // of the process
    const execution::Launch& launch;
    std::shared_ptr<const execution::GlobalMemory> before;
};

// With the parameters of the launch as they are, and memory as the launches before left it.
diagnosis::Experiment experiment_of(const Asked& asked, const diagnosis::Options& options);

std::string tool_version();
std::string now_utc();  // ISO 8601

// The capture of the launch without its records: findings by the rules, which run it again where they need
// to.
capture::Capture explained(
    const diagnosis::Experiment& experiment,
    const execution::Executable& executable,
    const execution::RunResult& result
);

// Everything, as `warplens run` records it.
capture::Capture recorded(
    const diagnosis::Experiment& experiment,
    const execution::Executable& executable,
    const execution::RunResult& result
);

}  // namespace wl::runtime
