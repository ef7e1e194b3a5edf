// Splits of a warp and warps of a block: who runs next, who waits for whom.
#pragma once

#include "instrumentation/emulator/machine/block.h"

namespace wl::emulator {

// Of so many choices among a warp's splits, and one more, one falls on the last in the order of the program.
constexpr uint32_t kPicksOfLast = 0xfff;

// The running split goes on at i: to the end of its straight run if there are others, else as far as it can.
void run_split(Warp& w, const Instr* i);
// Runs the warp until every split waits, the warp has exited, or its time slice is over.
void run_warp(Warp& w);

bool can_run(const Warp& w);

// The running split goes on at `next` after the scheduler looked around.
const Instr* yield(Warp& w, const Instr* next);
// The same, and the other warps have their turn first.
const Instr* end_slice(Warp& w, const Instr* next);
// The same after a test of the mbarrier at this offset in vain: the warp's other splits come first, too.
const Instr* poll_again(Warp& w, const Instr* next, uint32_t mbarrier);
// A conditional branch: lanes in `taken` go to `target`, the others to `next`.
const Instr* diverge(Warp& w, uint32_t taken, const Instr* target, const Instr* next);
// Leaves exactly the lanes in `mask` in the running split; the others go on at `next` on their own.
void part(Warp& w, uint32_t mask, const Instr* next);
// The running split stands at i until it is released.
const Instr* wait_at(Warp& w, const Instr* i, Wait why);
// The lanes of the running split exit.
const Instr* exit_lanes(Warp& w, const Instr* i, uint32_t mask);

// Lanes named by `members` that have not exited and do not stand here: wait for them. True: go on. A lane
// that exited is noted as lane_not_in_mask.
bool gather(Warp& w, const Instr* i, uint32_t members);

// Block barriers (bar.*). `arrive_at_barrier` returns where the running split goes on.
struct Arrival {
    uint32_t id = 0;
    uint32_t threads = 0;  // 0: the whole block
    bool waits = true;
    bool aligned = true;     // all lanes of a warp execute it together
    uint32_t predicate = 0;  // bar.red: lanes whose predicate is true
};
const Instr* arrive_at_barrier(Warp& w, const Instr* i, const Arrival& arrival);
// Before a block barrier is executed, the other warps have their turn.
const Instr* hold_back(Warp& w, const Instr* i);
// Barriers and marks that can be completed now, after a warp stopped.
void settle(Block& block);
// Nobody can run: releases marks, then collectives; false: a deadlock, noted.
bool resolve_standstill(Block& block);
// Every warp that is left waits, or tests an mbarrier in vain.
void report_deadlock(Block& block);

// Lanes that stand at a barrier until the rest of their warp comes arrive without it. False: there are none.
bool go_on_diverged(Block& block);

void settle_marks(Block& block);
bool release_marks(Block& block);

// What special registers hold for the warp, into the running frame's file.
void fill_special_registers(Warp& w, const RegisterFile& file);
// What a special register holds for a lane when its warp starts.
uint64_t special_value(const Block& block, const Warp& w, const SpecialSlot& slot, int lane);
// False: it changes while the warp runs.
bool has_value(ptx::SpecialRegister which);

// Pending cp.async of these lanes land: they exit.
void land_all_copies(Warp& w, uint32_t lanes);
// Pending cp.async of these lanes that were issued before `time` land, for an mbarrier that tracks them.
void land_tracked_copies(Warp& w, uint32_t lanes, uint64_t time);
// Pending cp.async.bulk that complete at the mbarrier land, and count for its phase.
void land_bulk_copies(Block& block, Mbarrier& m);

}  // namespace wl::emulator
