// Who executes: --on and --device, and what is there to choose from.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/diagnosis/device/witnesses.h"
#include "instrumentation/execution/executor.h"

#include <optional>
#include <string>

namespace wl::app {

struct Executors {
    std::optional<execution::Executor> witness;  // of --on both: what the options' executor is compared with
};

// Sets the options' executor and that of their trials, and their architecture where it is the default and the
// device is older. Throws Unsupported where --on asks for a GPU that is not there.
Executors choose_executors(const KernelOptions& kernel, diagnosis::Options& options);

// After a fault of a kernel on a GPU this process can use none any more. Where tiles could still be had, runs
// the same command again as a process of its own that dumps before the fault (gpu::Order::dump_only), and
// gives its exit status.
std::optional<int> dump_before_fault(const KernelOptions& kernel, const capture::Capture& capture);

// Of `hazards`: the GPU on which races are tried too, where --on asks for one.
std::optional<execution::Executor> device_beside(const KernelOptions& kernel, diagnosis::Options& options);

// Of verbs that change programs, step through them or look at every access: throws Unsupported unless the
// emulator is asked for.
void require_emulator(const std::string& verb, const KernelOptions& kernel);

// The summary with one more field, `witnesses`.
std::string with_witnesses(const std::string& summary, const diagnosis::Witnesses& witnesses);

}  // namespace wl::app
