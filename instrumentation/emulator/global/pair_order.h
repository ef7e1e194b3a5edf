// Two accesses of a launch in the order that a directed schedule asks for. The later one's warp stands right
// before it, and others run, until the earlier one was made. Where that can never be, because something
// orders the two the other way, it goes on: a schedule never makes a deadlock. Not modelled: more than one
// execution of each access.
#pragma once

#include "instrumentation/emulator/global/explore.h"
#include "instrumentation/emulator/observe/hooked.h"

namespace wl::emulator {

// How far the launch has come with it.
struct PairState {
    bool first_made = false, then_made = false;
    bool given_up = false;     // the later one goes first
    bool holds = false;        // the later one's warp stands before it
    bool parts = false;        // the later one's lane stays behind, its warp is about to execute without it
    uint64_t issued = 0;       // warp instructions of its block when it came to stand there
    uint64_t times_split = 0;  // the lane was parted from its warp
};

struct PairRun {
    PairOrder order;
    PairState now{};
};

// Hooks the two instructions.
void keep_order(const PairOrder& order, Hooked& hooked);

// The pair of the launch that the block belongs to; nullptr: its schedule is none of a pair.
PairRun* pair_of(const Block& block);

inline bool is_waiting(const PairRun& run) {
    return run.now.holds && !run.now.first_made && !run.now.given_up;
}
// The later one was made behind the earlier one, or not at all.
inline bool had_order(const PairRun& run) { return run.now.first_made && !run.now.given_up; }
// The warp stands before the later access.
bool is_held(const Block& block, const Warp& w);
// None of the block's other warps can run, or they have for long. False: the earlier access is another
// block's, which may still make it.
bool let_go(Block& block);

}  // namespace wl::emulator
