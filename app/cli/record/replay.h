// A recorded launch made ready to be run again: its memory where it was, its outputs compared with what the
// launch left.
#pragma once

#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/manifest.h"

#include <string>

namespace wl::app {

// `path` names it in messages and captures. Throws Unsupported where it holds no PTX, and Error where its PTX
// lacks the kernel.
manifest::Problem replay_problem(const launches::RecordedLaunch& launch, const std::string& path);

}  // namespace wl::app
