// What binding a kernel to numbers carries along.
#pragma once

#include "instrumentation/manifest/inputs.h"
#include "instrumentation/manifest/manifest.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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

// In Kernel::define before a text that the compiler gets as it stands; expressions do not begin so.
constexpr std::string_view kVerbatim = "=";

// An address inside another argument's array: its one pointer, and as its value the bytes from the beginning.
bool is_view(const Argument& argument);
// A table of addresses, and a view of an array.
void bind_pointers(const Argument& argument, BoundArgument& bound);
void bind_view(const Binding& b, const Argument& argument, const std::string& key, BoundArgument& bound);
// What both are of, once all arguments and launches are bound. Throws Error where there is no such array.
void bind_names(const Binding& b, Problem& problem);

// Every launch, repetitions written out, and the one that is looked at. Throws Error.
void bind_launches(Binding& b, Problem& problem);

}  // namespace wl::manifest
