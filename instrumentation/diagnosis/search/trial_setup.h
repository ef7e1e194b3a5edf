// What any change of a program is tried on, and when it counts: it mends when the block that is wrong comes
// right; it is proven when other inputs, other orders of warps and, where that is quick, all blocks do, too.
#pragma once

#include "instrumentation/capture/ran.h"
#include "instrumentation/diagnosis/prove/prove.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

constexpr double kAllTried = 2e6;  // warp instructions of a launch whose blocks are all tried

struct TrialSetup {
    const Symptoms& s;
    TrialOptions block = {};  // the wrong one, or all
    int64_t compared = 0;     // elements that a right program writes there, at least: of tiles and outputs,
    int64_t outputs = 0;      // and of outputs alone
    std::vector<int64_t> of_output = {};  // and of each; empty: not known
    // The launch leaves nothing that is compared: it is right where it has no fault, and all behind it are.
    bool blind = false;
    bool told_at_end = false;  // of a sequence: all launches are quick to run, and wrong at their end
    bool at_end = false;       // blind, as the end tells of a change
    std::vector<int64_t> end_outputs = {};  // of each output what all launches leave; empty: not known
    bool ends = true;                       // the program as it is comes to its end
    uint64_t other_seed = 1;                // as TrialOptions::seed_offset, of what else proves a change
    double times = 1;                       // what a trial costs beside a plain run
    int64_t whole = 0;  // of outputs that all blocks write, as far as that is quick; 0: not known
};

// Runs the changed program.
using Try = std::function<Trial(const TrialOptions&)>;

// Finds out on what the symptom shows: the wrong block alone, without checks where it goes wrong without
// them; all blocks where it does not. `times`: instructions of this build beside those of the diagnosed one.
// Empty, or why nothing shows it.
std::string choose_trial(TrialSetup& setup, const Try& unchanged, uint64_t times);

// Other inputs on which it shows as well: where the program as it is comes right nothing is proven. The next
// ones, where none of the first few do.
void choose_seed(TrialSetup& setup, const Try& unchanged);

// Warp instructions of the program as it is, of the block that is tried or, where it takes all of them, of
// all.
double trial_cost(const Symptoms& s);

// The manifest makes the problem: it can be bound with other parameters.
bool can_be_bound_anew(const Experiment& e);

// As right as the program may be that has this much to write; a change that writes less mends nothing.
bool mends(const TrialSetup& setup, const Trial& trial);

// Of a sequence: nothing that the launch writes now is wrong, and less of it is its own. Another launch
// answers for the rest, and the end tells: with the setup that is blind then.
bool is_told_at_end(const TrialSetup& setup, const Trial& trial);
TrialSetup setup_for(const TrialSetup& setup, const Trial& first);

// Of whatever it writes.
bool comes_right(const TrialSetup& setup, const Trial& trial);
bool is_right(const Trial& trial, int64_t outputs);  // and as much of outputs
// With other inputs a bound may say nothing of an output, and nothing would be proven of it.
bool judges_all(const TrialSetup& setup, const Trial& trial);
// Of all blocks. After its own launch a sequence's outputs are not what they are at its end.
int64_t wanted_outputs(const TrialSetup& setup);

// Of 1000 wrong elements how many the change makes right, where nothing else becomes worse; 0: none, or
// something does.
int64_t gain_of(const Trial& unchanged, const Trial& trial);

// What was run, and what it showed.
struct Proof {
    std::string text;
    uint64_t warp_instructions = 0;  // of the first trial
    std::string lacks = {};          // what keeps it from being a proof; empty: nothing
    bool overfits_shape = false;     // another change that lacks nothing is looked for all the same
    capture::Ran ran = {};
};
// Of the program as it is: with other data, or at another shape, it ends, and no fault of another kind has
// come; nor is the share of its elements that are right less.
bool runs_as(const Trial& there, const Trial& here);
bool does_no_worse(const Trial& there, const Trial& here);
capture::EvidenceKind kind_of(const Proof& proof);
std::string text_of(const Proof& proof);
// Nothing where one of the trials goes wrong.
std::optional<Proof> proof_of(const TrialSetup& setup, const Try& change);

// Extents of block and grid, parameters: whole numbers above 1, each once.
std::vector<int64_t> numbers_in_play(const Experiment& e);

int threads_of(const Options& options);

}  // namespace wl::diagnosis
