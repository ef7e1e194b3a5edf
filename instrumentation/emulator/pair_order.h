// Two accesses of a launch in the order that a directed schedule asks for. The later one's warp stands right
// before it, and others run, until the earlier one was made. Where that can never be, because something
// orders the two the other way, it goes on: a schedule never makes a deadlock. Not modelled: more than one
// execution of each access.
#pragma once

#include "instrumentation/emulator/explore.h"
#include "instrumentation/emulator/program.h"

namespace wl::emulator {

struct Block;

struct PairRun {
    PairOrder order;
    Exec executors[2] = {};  // that were there: of the earlier access's instruction, of the later one's
    bool first_made = false, then_made = false;
    bool given_up = false;     // the later one goes first
    bool holds = false;        // the later one's warp stands before it
    uint64_t issued = 0;       // warp instructions of its block when it came to stand there
    uint64_t times_split = 0;  // the lane was parted from its warp
};

// Hooks the two instructions. The run stays where it is while blocks execute the program.
void keep_order(PairRun& run, Program& program, Variant variant);

// The pair of the launch that the block belongs to; nullptr: its schedule is none of a pair.
PairRun* pair_of(const Block& block);

inline bool is_waiting(const PairRun& run) { return run.holds && !run.first_made && !run.given_up; }
// The later one was made behind the earlier one, or not at all.
inline bool had_order(const PairRun& run) { return run.first_made && !run.given_up; }
// The warp stands before the later access.
bool is_held(const Block& block, const Warp& w);
// None of the block's other warps can run, or they have for long. False: the earlier access is another
// block's, which may still make it.
bool let_go(Block& block);

}  // namespace wl::emulator
