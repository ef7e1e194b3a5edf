// What is executed when an entry runs, numbered as every executor and every report does.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/ptx/module.h"

#include <string>
#include <vector>

namespace wl::execution {

struct Listing {
    std::vector<int> functions;  // indices in Module::functions: reachable_functions of the first
    std::vector<capture::Site>
        sites;                     // the instructions of all functions, then the places they were inlined at
    std::vector<ptx::Mark> marks;  // of all functions
    std::vector<std::string> stages;  // names of WL_STAGE, each once
    std::vector<int> stage_of_mark;   // index in stages by mark; -1: no stage
};

// Of the function with this index in Module::functions, and what it calls.
Listing list(const ptx::Module& module, int function);

}  // namespace wl::execution
