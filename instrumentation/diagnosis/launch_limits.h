// launch_impossible: a launch that the device refuses before the first instruction.
#pragma once

#include "instrumentation/diagnosis/run.h"

#include <optional>

namespace wl::diagnosis {

// A block's shared memory against the manifest's [limits].shared, where it states one: the budget by buffer,
// and which single parameter would bring it inside. The capture's launch is filled in.
std::optional<capture::Finding> impossible_launch(const Experiment& e, const capture::Capture& c);

}  // namespace wl::diagnosis
