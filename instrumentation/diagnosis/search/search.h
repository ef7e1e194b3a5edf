// The search for a change that mends: small changes, most simple first, each run on the block that is wrong.
#pragma once

#include "instrumentation/base/work.h"
#include "instrumentation/capture/ran.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/candidates.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::compile {
struct Quick;
}

namespace wl::diagnosis {

// What a change takes at another place.
struct Besides {
    std::string was, now;
    capture::Where where;  // file and line
};

struct Mended {
    std::string rule;
    std::string was, now;  // in words of the source; was empty: `now` is missing there
    capture::Where where;  // file and line
    std::string proof;     // what was run, and what it showed
    std::vector<Besides> besides;
    std::string source;  // the whole changed text, with headers; empty: the change is of the program alone
    std::string patch;   // of the files that it is made of
    std::string remark = {};   // as rewrite::Rewrite::remark
    std::string remains = {};  // of another shape, which it does not mend; empty: nothing is known to
    std::string behind = {};   // what is wrong behind all launches of a sequence, with it; empty: nothing
    uint64_t warp_instructions = 0;  // of the trial that proves it; 0: not known
    int64_t written = 0;             // of a sequence, elements that are compared at its end
    bool no_fault_left = false;      // of a sequence, in any launch
    bool expected = false;           // right programs nearly always say so
    bool unjudged = false;           // nothing is compared: no fault is left
    bool does_more = false;          // a quarter more work than the program as it is: it may repeat something
    bool overfits_shape = false;     // it is wrong at a shape, or with values, that the kernel may not take
    std::string lacks = {};          // as Proof::lacks
    capture::Ran ran = {};
    std::vector<int> left_out = {};  // lines that are executed no more with it: it goes around what is wrong
    bool left_to_one = false;        // these are of loops that one block or warp goes round alone
};

// A change that alone makes much of what is wrong right, and nothing worse.
struct Helpful {
    std::string was, now;
    capture::Where where;
    int64_t of_1000 = 0;  // wrong elements of what changes are tried on
};

struct SearchResult {
    std::vector<Mended> mended;      // proven, the simplest first; others lie at other lines
    std::vector<Mended> doubtful;    // right at this shape, and wrong at another one
    std::optional<Helpful> helpful;  // the most, where nothing mends: of several faults perhaps one
    std::optional<Mended> context;   // where nothing else mends: what comes right as it leaves lines out
    size_t tried = 0, candidates = 0;
    size_t refused = 0;       // by the compiler; these were not tried
    size_t made = 0;          // of those that were tried, pairs and others that were made on the way
    bool timed_out = false;   // the ceiling came before the work was done
    std::string unsupported;  // why nothing was tried
};

// What one core of the machine that work is measured by does in two thirds of the time: a normal machine that
// is not busy has done it before.
inline uint64_t work_within(double seconds) {
    constexpr double kOfCeiling = 2.0 / 3;
    return static_cast<uint64_t>(kOfCeiling * seconds * static_cast<double>(kWorkPerSecond));
}
inline double seconds_for(uint64_t work) {
    return static_cast<double>(work) / static_cast<double>(work_within(1));
}

// What searches count for, and how much this one may reach. The limit of all that may follow it holds where
// reading the source alone takes much.
struct SearchWork {
    Work& spent;
    uint64_t limit = 0, all = 0;
};

// Changes of the source's text, compiled many at a time. Until the work is done, or the first change is
// proven and those as simple around it are tried, on as many cores as Options::threads says. Which changes
// are tried in which order depends on the source alone. They are tried on the symptoms themselves or,
// quicker, on those of a smaller shape, and proven on the former. `read`: how the compiler takes the source,
// kept from one search for the next.
SearchResult search_source(
    const Symptoms& s,
    const Symptoms& tried_on,
    const std::vector<Suspect>& suspects,
    SearchWork work,
    std::shared_ptr<const compile::Quick>& read
);

// Where the source says one for the other, of a change that is known to mend the program: the first place at
// which it mends, as it is compiled.
std::optional<Mended> mended_in_source(const Symptoms& s, const std::string& was, const std::string& now);

// As search_source, of changes of the program itself, `build`: of PTX without a source.
SearchResult search_program(
    const Symptoms& s, const Experiment& build, const std::vector<Suspect>& suspects, SearchWork work
);

}  // namespace wl::diagnosis
