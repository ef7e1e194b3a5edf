// A recorded launch made ready to be run again: its memory where it was, its outputs compared with what the
// launch left.
#pragma once

#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/manifest.h"

#include <cstddef>
#include <string>
#include <vector>

namespace wl::app {

// `path` names it in messages and captures. Throws Unsupported where it holds no PTX, and Error where its PTX
// lacks the kernel.
manifest::Problem replay_problem(const launches::RecordedLaunch& launch, const std::string& path);

// A parameter as it was passed, with its C++ type where the kernel's name tells it; empty: it does not.
struct ReplayParameter {
    std::string type;
    std::vector<std::byte> bytes;
};
std::vector<ReplayParameter> replay_parameters(const launches::RecordedLaunch& launch);

}  // namespace wl::app
