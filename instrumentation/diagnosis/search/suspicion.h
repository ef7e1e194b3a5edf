// Lines at which a wrong value may have gone wrong.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/candidates.h"

#include <vector>

namespace wl::diagnosis {

// From what is known already: lines that wrote what is wrong, or where a fault was seen.
std::vector<Suspect> suspects_of(const Symptoms& s);

// What the first wrong element came through in its block, `build`: the lines that made its value (rank 0),
// and those that decided where and whether it was read and written (rank 1). Empty where no wrong element has
// a writer, or its block is too long to be followed.
std::vector<Suspect> lines_of_wrong(const Symptoms& s, const Experiment& build);

// All of a kernel and of what it calls (rank 3): where nobody knows what made a value.
std::vector<Suspect> lines_of_kernel(const Experiment& build);

}  // namespace wl::diagnosis
