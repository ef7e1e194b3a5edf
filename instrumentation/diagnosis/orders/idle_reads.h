// Races that decide nothing: the read's value reaches no store, no branch and no address. Compilers that lay
// a small tile over more threads than it has elements make such reads.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <string_view>
#include <vector>

namespace wl::diagnosis {

// Takes out races of a load with a store or an atomic where the values of all such loads, by threads that do
// not write there themselves, were followed through the launch and came to nothing; a note of each is
// left. False: there was nothing to follow. Throws Cancelled.
bool drop_idle_reads(
    const Experiment& e, capture::Capture& capture, std::vector<execution::Incident>& incidents
);

// The same of shuffles that read a lane which takes no part, in a launch whose values are not followed, since
// its blocks wait for each other: it leaves the same whatever those lanes give.
bool drop_idle_shuffles(
    const Experiment& e, capture::Capture& capture, std::vector<execution::Incident>& incidents
);

}  // namespace wl::diagnosis
