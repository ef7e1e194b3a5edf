// Many changes tried on several threads, in order, until one of them mends: what searches of sources and of
// programs share.
#pragma once

#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/search/trial_setup.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// Where a change stands, and what it is worth when it is run with all checks; nothing where it mends nothing
// then.
struct Prove {
    std::function<capture::Where(size_t change)> where;
    std::function<std::optional<Mended>(size_t change)> proven;
};

struct CandidateQueue {
    TrialSetup setup;
    Work* work = nullptr;    // what the search has done
    uint64_t limit = 0;      // of that: past it nothing is begun
    size_t tried_after = 0;  // changes after the first that is proven that are tried as well
    Prove prove = {};
    size_t tried = 0;                                    // besides those of SourceTrials::done
    std::atomic<size_t> first = ~size_t{0};              // the first change that is proven
    std::atomic<size_t> first_overfitting = ~size_t{0};  // as Mended::overfits_shape
    std::mutex proving = {};                             // of what stands below, and of prove
    std::vector<size_t> rivals = {};  // changes that mend at lines that have one that is proven
    std::vector<std::pair<size_t, Mended>> proven = {},
                                           doubtful = {};  // these another shape refutes, or they go around
};

// The limit was reached; with what this thread counts for a part of the search. Throws Stopped as check_stop.
bool is_late(const CandidateQueue& queue);
// It is late, or the change lies far enough behind the first that is proven.
bool is_over(const CandidateQueue& queue, size_t change);
// Changes after this one need not be tried; threads may have gone on to them.
size_t last_needed(const CandidateQueue& queue);
// What mends is proven at once, on this thread, while others go on. `at_end`: as is_told_at_end, and all
// launches come right.
void judge(CandidateQueue& queue, size_t change, const Trial& trial, bool at_end = false);
// As if none of those changes had been judged.
void forget(CandidateQueue& queue, const std::function<bool(size_t change)>& which);

// Numbers below `count`, each once, in order, on several threads; `worker` makes on each what is called with
// them, or nothing. How many of them are within the limit: those before which less was done. Which these are
// depends on no clock and no number of threads. Threads run ahead: what came of later numbers is to be
// forgotten.
size_t in_turn(
    CandidateQueue& queue,
    int threads,
    size_t count,
    const std::function<std::function<void(size_t number)>()>& worker
);

// Of each line the first change that is proven, four lines at most.
void take_proven(CandidateQueue& queue, SearchResult& out);

}  // namespace wl::diagnosis
