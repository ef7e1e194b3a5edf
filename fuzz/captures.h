// Captures, changed by their schema or byte by byte.
#pragma once

#include "fuzz/mutant.h"

namespace wl::fuzz {

// By the lines of fuzz/edits.h.
Mutant edited_capture(const std::string& edits);
Mutant make_capture(uint64_t number);
// What a changed capture may do: be refused, or open and answer. What it may not:
// - one whose bytes were changed, or whose rows were under the old hashes, is refused or is the original,
// field
//   for field;
// - of one that was sealed again whatever lies in tables that nobody touched is as it was;
// - what opens can be written, and what is written comes back;
// - opening it in parts (as the window does) refuses what reading all of it refuses, and gives the same.
Tried try_capture(const Mutant& mutant);

}  // namespace wl::fuzz
