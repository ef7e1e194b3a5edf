// What is at hand where a site is, each time that some threads come by.
#pragma once

#include "instrumentation/diagnosis/search/angelic/sites.h"
#include "instrumentation/diagnosis/search/source_trials.h"

#include <string>
#include <vector>

namespace wl::diagnosis {

constexpr size_t kMostAtHand = 64;  // texts

struct Rows {
    std::vector<std::string> texts;                    // of what is at hand
    std::vector<std::vector<std::vector<double>>> of;  // by group, in the order of the run, by text
};

// Whose, and how often; of all blocks, or of those that changes are tried on.
struct Asked {
    std::vector<int> group_of;  // by thread of the launch; -1: none
    int groups = 0;
    int turns = 0;  // of a thread, the first
    bool whole = false;
};

// Of those texts that the compiler takes. No texts where they cannot be noted, or are over kMostRows.
Rows rows_at(
    const SourceTrials& t,
    Prover& prover,
    const AngelicSite& site,
    std::vector<std::string> at_hand,
    const Asked& asked
);

}  // namespace wl::diagnosis
