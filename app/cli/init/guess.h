// A first description of a kernel: from its compiled entry, its source and, where the host launches it, that
// launch.
#pragma once

#include "app/cli/init/source.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"

#include <set>
#include <string>
#include <vector>

namespace wl::app {

struct Guess {
    manifest::Kernel kernel;  // without shapes: each array has one extent, "1"
    std::vector<std::pair<std::string, std::string>> ragged;  // sizes that are no multiple of anything
    std::vector<std::string> sizes;                           // parameters that may be extents
    std::vector<std::string> types;                           // of the arguments, as the source writes them
    std::string launch_from;                                  // "scale.cu:31"; empty: the launch is made up
    bool launch_assumed = false;                              // it, or its shared memory, is made up
    std::set<std::string> sized;       // arrays whose extents the host's allocation tells
    std::set<std::string> read_later;  // arrays that a launch reads behind another's write
    std::vector<std::string> unknown;  // what could not be told, a sentence each
};

// `launch`: of the host; nullptr: its first of this kernel.
Guess guess_kernel(
    const ptx::Module& module,
    const ptx::Function& entry,
    const SourceText& source,
    const std::string& file,
    const LaunchText* launch = nullptr
);

}  // namespace wl::app
