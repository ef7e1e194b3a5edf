// Changes of a source, compiled many at a time and tried: those that are forms of one statement in one text
// that holds them all, the others each in a text of its own.
#pragma once

#include "instrumentation/compile/unit.h"
#include "instrumentation/compile/variants.h"
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"
#include "instrumentation/diagnosis/search/candidate_queue.h"
#include "instrumentation/diagnosis/search/launches.h"
#include "instrumentation/diagnosis/search/left_out.h"
#include "instrumentation/diagnosis/search/other_shape.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wl::diagnosis {

constexpr uint64_t kQuickTimes = 4;  // instructions of a build that optimises little

// The source as it is searched; nothing where NVRTC does not take it.
struct OpenSource {
    compile::Unit unit;
    compile::Quick quick;
    rewrite::Source source;
    LaunchLines launches;
};
// Of the unit, those that there is code of.
std::set<int> located_lines(const Experiment& e, const compile::Unit& unit);
// `before`: as it was opened for another search. `effort`: nothing: as little as its trials are worth.
std::optional<OpenSource> open_source(
    const Symptoms& s,
    std::string* why_not = nullptr,
    const compile::Quick* before = nullptr,
    std::optional<compile::Effort> effort = {}
);

constexpr int kRefusedSlot = -2;  // as SourceTrials::slot: the compiler named it
constexpr uint8_t kTried = 1, kRefusedAlone = 2, kCutShort = 3;

struct SourceTrials {
    CandidateQueue queue;   // where changes are tried: at the shape that was diagnosed, or at a smaller one
    const Experiment& e;    // of that
    const Symptoms& whole;  // what was diagnosed, where changes are proven
    std::optional<TrialSetup> proof = {};  // chosen for that; nothing: as the queue's
    const compile::Unit& unit;
    const compile::Quick& quick;
    const rewrite::Source& source;
    const LaunchLines& launches;
    const std::vector<rewrite::Rewrite>& all;
    std::vector<rewrite::Slot> slots;
    std::vector<int> slot;  // of each change; below 0: it takes a text of its own
    // Of each change; set by the thread that tries it.
    std::vector<uint8_t> done;        // kTried, kCutShort: by the budget, kRefusedAlone: it does not compile
    std::vector<int64_t> gains;       // gain_of
    std::vector<int64_t> written;     // elements, where it mends what it is tried on
    std::vector<double> differences;  // the largest of an output's finite elements; NaN: it was not tried
    std::shared_ptr<OtherShape> shape;
    std::shared_ptr<Executed> executed;  // by the blocks that changes are proven on
    size_t upto = ~size_t{0};            // changes from here on wait
    std::vector<size_t> rivals = {};     // as CandidateQueue::rivals, of what is reported
};

// The arguments outlive it. `tried_on`: of the symptoms themselves, or of those of a smaller shape, which
// `open` is of then.
SourceTrials trials_of(
    const Symptoms& s,
    TrialSetup tried_on,
    const OpenSource& open,
    const std::vector<rewrite::Rewrite>& all,
    SearchWork work
);
// What the change, compiled as the kernel was, is worth, at another shape as well; nothing where it mends
// nothing then. On one thread.
std::optional<Mended> proven_by_compiler(const SourceTrials& t, const rewrite::Rewrite& change);

// Two changes of different places that are tried together.
struct Pair {
    size_t first = 0, second = 0;
};
// Compiled as one text; `from`: the number that the first of them is judged by. The numbers of those that
// were tried.
std::vector<size_t> try_pairs(SourceTrials& t, Prover& prover, const std::vector<Pair>& pairs, size_t from);

// The first of so many, each compiled as the kernel was, that is proven; the symptom is that of the kernel as
// it is.
std::optional<Mended> first_proven(
    SourceTrials& t, const std::function<bool(const rewrite::Rewrite&)>& is_wanted, size_t most
);

// A text that holds many changes, ready to run with one or two of them, or others.
struct Ready {
    std::unique_ptr<ptx::Module> module;  // that `runs` refers to
    std::function<Trial(const TrialOptions&)> runs;
    TrialOptions options;
};
// Of PTX that the quick compilation made; the prover outlives it. Nothing where it lacks the entry.
std::optional<Ready> make_ready(const SourceTrials& t, Prover& prover, const std::string& ptx);

// In the order of the changes; a batch is of one kind. Of those that are not done.
std::vector<std::vector<size_t>> batches_of(const SourceTrials& t);

// On any thread, with a prover of its own.
void try_batch(SourceTrials& t, Prover& prover, const std::vector<size_t>& changes);
// All that are not done, within the queue's limit. False: there are none.
bool try_batches(SourceTrials& t);
size_t tried_of(const SourceTrials& t);  // of its own changes
void add_tried(const SourceTrials& t, SearchResult& out);

Trial try_variant(
    const Experiment& e, Prover& prover, const std::string& ptx, size_t variant, const TrialOptions& options
);

}  // namespace wl::diagnosis
