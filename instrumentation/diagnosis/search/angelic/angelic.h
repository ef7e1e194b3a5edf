// Values that an expression would have to have for everything to come right: found by trials in which each
// thread has its own, and made of what is at hand.
#pragma once

#include "instrumentation/diagnosis/search/source_trials.h"

namespace wl::diagnosis {

// Of the expressions of floats that `t` suspects; until its time is over. What is made of them is tried and
// proven as any other change. Given back: expressions of which little but one value is known, so that many
// others mend as well.
std::vector<rewrite::Rewrite> search_needed(
    SourceTrials& t, const rewrite::SearchContext& context, SearchResult& out
);

}  // namespace wl::diagnosis
