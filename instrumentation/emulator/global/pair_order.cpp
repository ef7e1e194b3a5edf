#include "instrumentation/emulator/global/pair_order.h"

#include "instrumentation/emulator/global/global_check.h"
#include "instrumentation/emulator/machine/progress.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/watcher.h"

#include <utility>

namespace wl::emulator {
namespace {

// Turns of a warp whose other lanes cannot go on either.
constexpr uint64_t kMostSplits = 64;

uint32_t active_lanes(Warp& w, const Instr* i) {
    return i->guard == kNoGuard ? w.mask : w.mask & read_predicate(w, i->guard);
}

bool is_in_one_warp(const PairOrder& o) {
    return o.first.block == o.then.block && o.first.warp == o.then.warp;
}

// Of the warp at the instruction: the lanes that make the access of `p`.
uint32_t lanes_at(Warp& w, const Instr* i, const PairOrder& o, const AccessPoint& p) {
    if (i->site != p.site || w.block->now.index != p.block || w.index != p.warp) return 0;
    if (o.first.block == o.then.block && w.epoch < o.epoch) return 0;
    const uint32_t lanes = active_lanes(w, i);
    return is_in_one_warp(o) ? lanes & (1u << p.lane) : lanes;
}

// It was stopped before the instruction, which has not been executed.
bool is_stopped(const Block& block) { return block.watcher != nullptr && block.watcher->stopped; }

const Instr* execute(PairRun& run, Warp& w, const Instr* i, const Hook& hook) {
    const bool first = lanes_at(w, i, run.order, run.order.first) != 0;
    const bool then = lanes_at(w, i, run.order, run.order.then) != 0;
    const Instr* next = go_on(hook, w, i);
    if (is_stopped(*w.block)) return nullptr;
    // One instruction of one warp makes both at once.
    run.now.first_made = run.now.first_made || (first && !(then && is_in_one_warp(run.order)));
    run.now.then_made = run.now.then_made || then;
    return next;
}

const Instr* go_on_without(PairRun& run, Warp& w, const Instr* i, const Hook& hook) {
    const Instr* next = execute(run, w, i, hook);
    if (is_stopped(*w.block)) return nullptr;
    run.now.parts = false;
    return next != nullptr ? yield(w, next) : nullptr;
}

// The lane stays here on its own, the others of its warp go on.
const Instr* part_from(PairRun& run, Warp& w, const Instr* i, const Hook& hook, uint32_t lane) {
    ++run.now.times_split;
    close_segment(w, i);
    if (w.mask == lane) return poll_again(w, i, 0);
    part(w, w.mask & ~lane, i);
    w.splits[static_cast<size_t>(w.split_count - 1)].polled = true;
    run.now.parts = true;
    return go_on_without(run, w, i, hook);
}

const Instr* in_order(Warp& w, const Instr* i, const Hook& hook) {
    PairRun& run = *pair_of(*w.block);
    PairState& now = run.now;
    if (now.parts) return go_on_without(run, w, i, hook);
    if (now.first_made || now.then_made || now.given_up) return execute(run, w, i, hook);
    const uint32_t lanes = lanes_at(w, i, run.order, run.order.then);
    if (lanes == 0) return execute(run, w, i, hook);
    if (is_in_one_warp(run.order)) {
        now.given_up = now.times_split == kMostSplits;
        return now.given_up ? execute(run, w, i, hook) : part_from(run, w, i, hook, lanes);
    }
    if (!std::exchange(now.holds, true)) now.issued = issued(*w.block);
    return end_slice(w, i);
}

}  // namespace

void keep_order(const PairOrder& order, Hooked& hooked) {
    put_instead(hooked, {}, in_order, [&](const Traits& t) {
        // The end of a function has the site of its last instruction.
        if (t.index != 0 && hooked.traits[t.index - 1].site == t.site) return false;
        return t.site == order.first.site || t.site == order.then.site;
    });
}

PairRun* pair_of(const Block& block) {
    return block.global != nullptr ? block.global->check->pair.get() : nullptr;
}

bool is_held(const Block& block, const Warp& w) {
    const PairRun* run = pair_of(block);
    return run != nullptr && is_waiting(*run) && run->order.then.block == block.now.index &&
        run->order.then.warp == w.index;
}

bool let_go(Block& block) {
    PairRun& run = *pair_of(block);
    if (run.order.first.block != block.now.index) return false;
    return run.now.given_up = true;
}

}  // namespace wl::emulator
