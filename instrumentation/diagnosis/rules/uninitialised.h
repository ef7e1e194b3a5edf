// Reads of what nobody wrote, followed to where their values matter.
#pragma once

#include "instrumentation/diagnosis/run.h"

#include <vector>

namespace wl::diagnosis {

// Traces the launch when a read of unwritten memory was seen, or when the code can read a register or local
// memory before it is set. Reads that matter get their second access, or are added; reads whose values decide
// nothing and go nowhere are taken out. Notes in the capture what could not be followed. False: there was
// nothing to do. Throws Cancelled.
bool follow_uninitialised(
    const Experiment& e, capture::Capture& capture, std::vector<emulator::Incident>& incidents
);

}  // namespace wl::diagnosis
