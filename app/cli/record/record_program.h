// A program run on the GPU with the recorder inside, and what the recorder told.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/launches/receive.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace wl::app {

struct RecordedProgram {
    std::optional<launches::Receiving> launch;
    std::map<std::string, uint64_t> counts;  // launches by kernel, where none was kept
    bool met = false;                        // some process of it launched a kernel
    int status = 0;                          // as a shell tells it
};

// Runs it to its end; `keep` is told a launch as soon as it is whole. `aside`: what the program prints goes
// to stderr. Throws Error where the program cannot be started.
RecordedProgram record_program(
    const RecordOptions& options, bool aside, const std::function<void(launches::Receiving&)>& keep
);

// "void at::native::(anonymous namespace)::fill<float>(float*)" is "fill", and Numba's
// "main::f::scale[abi:v1]" "scale".
std::string bare_name(const std::string& kernel);

// Whether the kernel is one of those that are meant.
bool is_meant(const RecordOptions& options, const std::string& kernel);

}  // namespace wl::app
