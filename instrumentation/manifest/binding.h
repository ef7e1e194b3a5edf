// What binding a kernel to numbers carries along.
#pragma once

#include "instrumentation/manifest/inputs.h"
#include "instrumentation/manifest/manifest.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wl::manifest {

using Variables = std::map<std::string, double>;

struct Binding {
    const Kernel& kernel;
    const BindOptions& options;
    Inputs inputs;
    Variables variables;
    std::vector<std::pair<std::string, double>> turns;  // of the repetitions around a launch
    uint64_t bytes = 0;                                 // of all arrays so far

    std::string at(const std::string& key) const { return place(kernel, key); }
};

// `owner` is "p." for the fields of the argument p, `key` "args[2].fields[0]". Throws Error.
BoundArgument bind_argument(
    Binding& b, const Argument& argument, const std::string& owner, const std::string& key
);

// Every launch, repetitions written out, and the one that is looked at. Throws Error.
void bind_launches(Binding& b, Problem& problem);

}  // namespace wl::manifest
