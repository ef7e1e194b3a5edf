// What a device of the chosen architecture refuses whatever the kernel does: threads, shared memory,
// registers.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <optional>

namespace wl::diagnosis {

// The first of the reasons for which the launch would be refused, or the kernel not be assembled. The
// capture's launch and PTX are filled in. Registers are looked at where ptxas is there and a block has so
// many threads that they could be too many; where it is not, a note of the capture says so.
std::optional<capture::Finding> refused_launch(const Experiment& e, capture::Capture& c);

}  // namespace wl::diagnosis
