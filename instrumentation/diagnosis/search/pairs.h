// Changes of two places: faults that take two edits, and several faults at once.
#pragma once

#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/search/source_trials.h"

namespace wl::diagnosis {

// Behind the search for one change, in what is left of its time: what makes more elements right with any
// other change, and one change at two places that read alike.
void search_pairs(SourceTrials& t, SearchResult& out);

}  // namespace wl::diagnosis
