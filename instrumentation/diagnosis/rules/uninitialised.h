// Reads of what nobody wrote, followed to where their values matter.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <vector>

namespace wl::diagnosis {

// A read of unwritten memory in a race is the race seen from the other side.
bool explained_by_race(
    const ptx::Module& module,
    const ptx::Function& entry,
    const std::vector<emulator::Incident>& incidents,
    const emulator::Incident& uninitialised
);

// Traces the launch when a read of unwritten memory was seen that no race explains, or when the code can read
// a register or local memory before it is set. Reads that matter get their second access, or are added; reads
// whose values decide nothing and go nowhere are taken out. Notes in the capture what could not be followed.
// False: there was nothing to do. Throws Cancelled.
bool follow_uninitialised(
    const Experiment& e, capture::Capture& capture, std::vector<emulator::Incident>& incidents
);

}  // namespace wl::diagnosis
