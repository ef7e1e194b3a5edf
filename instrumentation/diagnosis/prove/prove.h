// One place where causes are proven: a hypothesis is run on the block that is wrong, and judged.
#pragma once

#include "instrumentation/capture/ran.h"
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/rules/symptoms.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// What would have to be otherwise for the block to come right.
struct Hypothesis {
    std::optional<ptx::Module> program = {};                       // nothing: as it is
    std::function<void(execution::GlobalMemory&)> rearrange = {};  // inputs in memory before the launch
    bool zero_unwritten = false;  // what nobody wrote reads as zero; then only outputs are judged
    // Results of these sites in FP64, of all where none is named; then only outputs are judged.
    std::optional<std::vector<uint32_t>> fp64 = {};
};

struct Verdict {
    bool mends = false;   // every tile and output of the block is inside its bound, and no fault is left
    bool proven = false;  // with other data, in other orders and in all blocks too
    int64_t block = 0;    // that was run
    Trial here, other;    // other: of what mends
    int64_t drawn = 0;    // elements that were compared on other data
    capture::Ran ran;
    // Of the changed program, kinds that the unedited one did not show.
    std::vector<execution::Incident::Kind> new_faults;
    // "0 of 64 elements of block (0,0,0) are outside their bounds, and 0 of 384 with 6 other seeds"
    std::string text;
};
Verdict prove(const Symptoms& s, const Hypothesis& hypothesis);

// Outputs that blocks add to hold what none of them leaves alone: of such a launch all blocks are run, unless
// that takes too long.
bool is_added_up(const Symptoms& s);
bool needs_all_blocks(const Symptoms& s);

std::vector<execution::Incident::Kind> new_faults(const Symptoms& s, const Trial& trial);

// The same program on the same inputs, with nothing but the order of warps (and of blocks, where all run)
// changed; of the outputs, where no mark makes warps meet.
struct Orders {
    uint64_t right = 0, wrong = 0, worst_order = 0;  // worst_order: a schedule's seed
    Trial worst;
};
Orders try_orders(const Symptoms& s, bool all_blocks);

}  // namespace wl::diagnosis
