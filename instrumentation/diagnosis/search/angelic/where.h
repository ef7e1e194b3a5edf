// Changes that are right at some places and wrong at others: where they are right, by trials in which each
// thread makes them or not, and the condition that tells these places apart.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/search/source_trials.h"

namespace wl::diagnosis {

// A `return`, a statement that is left out, another value: of those that make all of what is wrong right, and
// something that is right wrong. Until the time of `t` is over. What is made of them is tried and proven as
// any other change.
void search_where(SourceTrials& t, const rewrite::SearchContext& context, SearchResult& out);

}  // namespace wl::diagnosis
