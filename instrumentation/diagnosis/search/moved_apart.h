// What the manifest gives, one number made another while all others stay: two that agree, or differ by as
// much, in all that it names, do so no more, and an expression that says one for the other is right only
// where that is meant.
#pragma once

#include "instrumentation/manifest/manifest.h"

#include <string>
#include <string_view>
#include <vector>

namespace wl::diagnosis {

struct Moved {
    manifest::Kernel kernel;  // numbers that arguments are given by value are its own
    manifest::BindOptions options;
    std::string name;  // "MIN_T = 14, MAX_T = 25"
    double times = 1;  // as much work, by the numbers
};

// Of each number that one of the words stands for, as an argument, a macro, an extent of block or grid: a
// quarter of it, and four times as much; then the first one smaller with the others larger, and the reverse.
// Numbers between which inputs are drawn go together. The first few words count.
std::vector<Moved> moved_apart(const manifest::Problem& problem, const std::vector<std::string_view>& words);

}  // namespace wl::diagnosis
