// launch_impossible: a launch that the device refuses before the first instruction.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <cstdint>
#include <optional>

namespace wl::diagnosis {

struct AcceptLimits {
    uint64_t registers = 0;  // a thread
    uint64_t shared = 0;     // bytes a block, dynamic and static together
};
// The manifest's [limits]. Throws Error where they do not evaluate.
AcceptLimits limits_of(const manifest::Problem& problem);

// A block's shared memory against the manifest's [limits].shared, where it states one: the budget by buffer,
// and which single parameter would bring it inside. The capture's launch is filled in.
std::optional<capture::Finding> impossible_launch(const Experiment& e, const capture::Capture& c);

}  // namespace wl::diagnosis
