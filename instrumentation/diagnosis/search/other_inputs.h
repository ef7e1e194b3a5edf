// Changes that all mend what was diagnosed, told apart by inputs of other kinds.
#pragma once

#include "instrumentation/diagnosis/search/search.h"

#include <vector>

namespace wl::diagnosis {

// Where several are proven at different places: runs all blocks with coordinates, and with a single 1 in each
// row, as inputs. Those that are right there come first, and their proofs say so; what the others leave wrong
// is what remains of them. Where a kind of inputs suits none of them it says nothing.
void tell_apart_by_inputs(const Symptoms& s, double seconds, std::vector<Mended>& mended);

}  // namespace wl::diagnosis
