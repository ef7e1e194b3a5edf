// Recorded launches, changed by their schema or byte by byte, and run again.
#pragma once

#include "fuzz/mutant.h"

namespace wl::fuzz {

// By the lines of fuzz/edits.h.
Mutant edited_launch(const std::string& edits);
Mutant make_launch(uint64_t number);
// What a changed launch may do: be refused, or run to a verdict within its budget. What it may not:
// - one whose bytes were changed, or whose rows were under the old hashes, is refused or is the original;
// - what opens can be written, and what is written comes back;
// - one of which words alone were changed (the command, notes) runs to the same findings and outputs.
Tried try_launch(const Mutant& mutant);

}  // namespace wl::fuzz
