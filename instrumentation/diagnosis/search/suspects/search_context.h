// Which lines of a source are suspected, and how far each is from what made what is wrong.
#pragma once

#include "instrumentation/diagnosis/search/source_trials.h"

#include <vector>

namespace wl::diagnosis {

// Numbers, axes and suspicion. Where a slice is known it alone says what is near: what did not take part
// cannot be at fault, but for what should have.
rewrite::SearchContext search_context_of(
    const Symptoms& s, const std::vector<Suspect>& suspects, const OpenSource& open
);

}  // namespace wl::diagnosis
