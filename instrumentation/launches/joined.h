// A launch beside another that should leave the same: of another build of its program, or with what somebody
// computed.
#pragma once

#include "instrumentation/launches/launch_file.h"

#include <string>
#include <vector>

namespace wl::launches {

struct Joined {
    RecordedLaunch launch;            // the first one, its outputs as the second left them
    std::vector<std::string> hinder;  // why a comparison would say nothing of the launch; empty: nothing does
};

// Memory is the same where parameters, and pointers in memory that is the same, lead to it at the same place;
// variables are by their names. What either of the two changed is an output.
Joined joined(const RecordedLaunch& launch, const RecordedLaunch& reference);

}  // namespace wl::launches
