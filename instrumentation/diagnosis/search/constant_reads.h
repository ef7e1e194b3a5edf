// Reads that a change adds, of an array whose elements are all the same: it does the same as a change
// with that number.
#pragma once

#include "instrumentation/diagnosis/search/left_out.h"

#include <string>

namespace wl::diagnosis {

// "what it reads at line 11 is -0 at all of 2048 places"; empty where some differ, with the own data or with
// the draw `other_seed`, where few are read, or where that is not known.
std::string constant_reads(const Watched& watched, const Changed& changed, uint64_t other_seed);

}  // namespace wl::diagnosis
