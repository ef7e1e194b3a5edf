// The search for a change that mends: small edits of the program, most simple first, each run on the block
// that is wrong.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/candidates.h"

#include <string>
#include <vector>

namespace wl::diagnosis {

struct Mended {
    Candidate candidate;
    std::string proof;  // what was run, and what it showed
};

struct SearchResult {
    std::vector<Mended> mended;  // proven, in the order of candidates; others lie at other lines
    size_t tried = 0, candidates = 0;
    std::string unsupported;  // why nothing was tried
};

// Until `seconds` have passed, or the first change is proven and those as simple around it are tried, on as
// many cores as Options::threads says. Which changes are tried in which order depends on the program alone.
SearchResult search(
    const Symptoms& s, const Experiment& build, const std::vector<Suspect>& suspects, double seconds
);

}  // namespace wl::diagnosis
