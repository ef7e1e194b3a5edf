// Counterfactuals: some blocks of a changed program, run on fresh inputs, every tile compared.
#pragma once

#include "instrumentation/diagnosis/prove/prover.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Trial {
    int64_t compared = 0, bad = 0;  // elements, over all tiles and outputs that the blocks write
    int64_t outputs = 0;            // of `compared` those of outputs
    int64_t unjudged = 0;           // of outputs, where the reference is no number or its limit says nothing
    int64_t undecided = 0;          // the same outside a limit that is estimated and may be too tight
    std::vector<int64_t> of_output = {};  // the same of each that is judged
    double max_difference = 0;            // of the outputs, over finite elements
    double max_bad = 0;                   // the same of those of `bad`
    int64_t bad_infinite = 0;             // of `bad` those whose difference is no number
    std::vector<execution::Incident> incidents;
    uint64_t warp_instructions = 0;
    bool finished = true;     // false: budget, deadlock, trap
    std::string unsupported;  // the changed program could not be lowered
};

struct JudgedElement {
    const std::string& output;
    DType dtype = DType::f32;
    int64_t at = 0;  // row-major
    double got = 0, reference = 0, limit = 0;
    bool bad = false;
};

struct TrialOptions {
    std::vector<int64_t> blocks;  // linear; empty: all
    uint64_t budget = 0;          // warp instructions a block; 0: the emulator's own
    bool races = true;
    bool marks = true;            // false: only outputs are judged, and no mark makes warps meet
    uint64_t schedule_seed = 0;   // another legal order of warps
    bool zero_unwritten = false;  // what nobody wrote reads as zero; then only outputs are judged
    // Results of these sites in FP64, of all where none is named; then only outputs are judged.
    std::optional<std::vector<uint32_t>> fp64 = {};
    uint64_t seed_offset = 0;  // other inputs: the problem's seed plus this
    // Changes what the kernel finds in device memory; the reference stays that of the inputs as they were.
    std::function<void(execution::GlobalMemory&)> rearrange = {};
    std::string entry = {};  // in the changed program; empty: as in the experiment
    // Of a sequence: the launches from there on run the changed program as well, without checks. By launch
    // their entries in it; empty: as in the experiment.
    size_t from = ~size_t{0};
    std::vector<std::string> entries = {};
    bool part_exits = false;      // lanes that exit before a barrier of their warp are at fault
    bool without_filled = false;  // Inputs::filled, to which all blocks may add, are not judged
    bool at_end = false;          // of a sequence: outputs are judged as all launches are to leave them
    std::function<void(const JudgedElement&)> on_element = {};        // every one that is compared
    std::function<void(const execution::GlobalMemory&)> on_end = {};  // behind the last instruction
};

// "every tile inside its bound": compared > 0, bad == 0, finished, and no incident that says the program is
// wrong.
bool mended(const Trial& trial);
// As mended, of a launch that leaves nothing to compare.
bool is_clean(const Trial& trial);
// Of each output; empty: nothing is asked for.
bool writes_as_much(const Trial& trial, const std::vector<int64_t>& of_output);

Trial try_module(Prover& prover, const ptx::Module& changed, const TrialOptions& options);

// A module whose entries are lowered once, when they are first asked for. The module outlives it.
struct Lowered {
    const ptx::Module& module;
    std::map<std::string, std::shared_ptr<const emulator::Program>> by_entry = {};
};
const emulator::Program& program_of(Lowered& lowered, const std::string& entry);
Trial try_program(Prover& prover, Lowered& changed, const TrialOptions& options);
// The program as it is.
// Of a sequence: all launches run the changed program, with all checks, and outputs are judged at their end.
// `how`: its entries in the changed program, one a launch, what it finds in memory, other inputs, and whether
// checks are made, as in TrialOptions.
Trial try_sequence(Prover& prover, const ptx::Module& changed, const TrialOptions& how = {});
const Trial& try_unedited_sequence(Prover& prover);  // once
Trial try_unedited(Prover& prover, const TrialOptions& options);

}  // namespace wl::diagnosis
