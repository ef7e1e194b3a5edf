// Several changes that mend the same: whether they are one program, and which of them is refuted by another.
#pragma once

#include "instrumentation/diagnosis/search/source_trials.h"

namespace wl::diagnosis {

// Runs what is reported, and other changes of these lines, on data and at sizes beyond
// those that they were proven with. Where one of them is right the others have to be, and are dropped if they
// are not. What is left, and differs there from the first, at another line takes the claim of a cause from
// all of them, at the same line it leaves the place alone.
void weigh_rivals(SourceTrials& trials, SearchResult& out);

}  // namespace wl::diagnosis
