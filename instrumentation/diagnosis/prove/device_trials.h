// Trials on a device: where the emulator lacks an instruction of the kernel.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/prove/trial.h"

#include <string>

namespace wl::diagnosis {

// The experiment's executor is a device: it takes all blocks in its own order, sees no single access and
// counts no instructions.
bool tries_on_device(const Experiment& e);

// "measured on gpu: NAME: " of trials there; else nothing.
std::string measured_words(const Experiment& e);

// A program made ready on the experiment's executor, run again and again.
Trial try_executable(Prover& prover, const execution::Executable& program, const TrialOptions& options);

}  // namespace wl::diagnosis
