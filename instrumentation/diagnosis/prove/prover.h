// What the trials of one diagnosis share: problems with their references and memory, one a seed, and the
// program as it is.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/writers.h"
#include "instrumentation/emulator/run.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// A problem with the inputs of one seed, ready to be run again and again.
struct Inputs {
    manifest::Problem problem;
    std::optional<analysis::Reference> reference;  // computes each window once
    Prepared prepared;                             // as before the first instruction
    std::set<std::string> filled;                  // outputs that hold something then
    std::shared_ptr<const Unsettled> unsettled;    // as Experiment::unsettled
    bool same_data = false;                        // another seed, and no other data can be made
};

// Memory before a launch of a sequence, and the launches from there to its end.
struct Before {
    execution::GlobalMemory memory;
    std::vector<execution::Launch> launches;
    std::vector<uint64_t> budgets;  // of a block of each, some times what the program as it is takes
};

struct Trial;

// Not for several threads at once. The experiment outlives it.
struct Prover {
    const Experiment& experiment;
    bool time_is_up = false;                                   // of --search: trials are refused from then on
    std::map<uint64_t, std::unique_ptr<Inputs>> by_seed = {};  // by distance from the problem's own seed
    std::shared_ptr<const emulator::Program> unedited = {};
    std::shared_ptr<const Trial> sequence = {};  // as it is; try_unedited_sequence
    std::map<std::pair<uint64_t, size_t>, std::unique_ptr<Before>> before = {};  // by seed, then launch
    std::map<std::string, std::optional<std::vector<Writer>>> writers = {};      // by array, as last_writers
    std::map<uint64_t, std::vector<uint64_t>> draws = {};                        // draws_of, by the first
    std::optional<uint64_t> derived = {};                                        // derived_arrays
    std::map<uint64_t, std::shared_ptr<const Trial>> as_it_is = {};  // of all blocks, by distance of the seed
};

// Added to a distance: the draw of that seed with values beyond what it draws from (wild).
constexpr uint64_t kWild = uint64_t{1} << 32;
// A distance: of fixed_arrays these alone are drawn anew, a bit each.
constexpr int kOnlyShift = 34;
inline uint64_t only(uint64_t arrays, uint64_t seed) { return arrays << kOnlyShift | seed; }

// Made when first asked for.
const Inputs& inputs_of(Prover& prover, uint64_t seed_offset);
const emulator::Program& unedited_program(Prover& prover);
// As the program as it is leaves it.
const Before& before_launch(Prover& prover, uint64_t seed_offset, size_t launch);

constexpr double kMostTriedWhole = 5e6;  // warp instructions of a launch whose blocks are all tried

bool adds_to_global(const ptx::Function& function);  // by atomics or reductions

// A limit of the user's own for some output: it is made for values of one size.
bool has_own_limit(const manifest::Problem& problem);

// The same problem with other inputs.
manifest::Problem with_seed(const manifest::Problem& problem, uint64_t seed);

// The same reference, which computes a window when it is first asked for, as long as all of them are not too
// many.
analysis::Reference remembering(analysis::Reference reference);

}  // namespace wl::diagnosis
