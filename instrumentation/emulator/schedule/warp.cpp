// Models divergence: a warp is a set of splits, run in weak topological order and merged where they meet. Not
// modelled: the hardware's own choice among splits; fairness comes from taking turns every 4096 choices.
#include "instrumentation/base/lanes_text.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/schedule/frames.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

void remove_split(Warp& w, int k) {
    w.splits[static_cast<size_t>(k)] = w.splits[static_cast<size_t>(--w.split_count)];
}

bool mergeable(const Split& a, const Split& b) {
    const auto moving = [](Wait wait) { return wait != Wait::barrier && wait != Wait::mark; };
    return a.pc == b.pc && a.frame == b.frame && moving(a.wait) && moving(b.wait);
}

// Splits at one instruction become one; a collective that waited tries again with more lanes.
void merge_splits(Warp& w) {
    for (int a = 0; a < w.split_count; ++a) {
        Split& into = w.splits[static_cast<size_t>(a)];
        for (int b = w.split_count - 1; b > a; --b) {
            const Split& other = w.splits[static_cast<size_t>(b)];
            if (!mergeable(into, other)) continue;
            into.mask |= other.mask;
            into.began = into.pc;
            into.wait = Wait::none;
            into.forced = false;
            into.polled = into.polled && other.polled;
            remove_split(w, b);
        }
    }
}

// Nobody but splits that tested an mbarrier in vain is left: they test again when the warp has its next turn.
bool stand_back(Warp& w) {
    for (int k = 0; k < w.split_count; ++k) {
        Split& s = w.splits[static_cast<size_t>(k)];
        w.idle = w.idle || s.polled;
        s.polled = false;
    }
    return false;
}

// The runnable split that comes first in the order of the program; now and then the last, so that a spinning
// split cannot starve the one it waits for.
bool pick(Warp& w) {
    merge_splits(w);
    int best = -1, worst = -1;
    for (int k = 0; k < w.split_count; ++k) {
        const Split& s = w.splits[static_cast<size_t>(k)];
        if (s.wait != Wait::none || s.polled) continue;
        if (best < 0 || comes_before(s, w.splits[static_cast<size_t>(best)])) best = k;
        if (worst < 0 || comes_before(w.splits[static_cast<size_t>(worst)], s)) worst = k;
    }
    if (best < 0) return stand_back(w);
    w.current = (++w.picks & kPicksOfLast) == 0 ? worst : best;
    become(w, running(w));
    w.segment = running(w).pc;
    return true;
}

}  // namespace

bool can_run(const Warp& w) {
    for (int k = 0; k < w.split_count; ++k)
        if (w.splits[static_cast<size_t>(k)].wait == Wait::none) return true;
    return false;
}

void run_split(Warp& w, const Instr* i) {
    if (w.split_count == 1) {
        while (i != nullptr) i = i->exec(w, i);
        return;
    }
    do i = i->exec(w, i);
    while (i != nullptr && i->leader == 0);
    if (i != nullptr) yield(w, i);
}

// A split that comes back without having issued anything counts as an instruction once there are more of
// these in a row than lanes could have cause for, so that the budget ends what goes round so.
constexpr int kMostIdlePicks = 16 * kLanes;

void run_warp(Warp& w) {
    int idle = 0;
    while (w.clock < w.slice_end && !w.block->now.aborted && pick(w)) {
        check_stop();
        const uint64_t before = w.clock;
        run_split(w, running(w).pc);
        idle = w.clock == before ? idle + 1 : 0;
        if (idle > kMostIdlePicks) ++w.clock;
    }
}

const Instr* yield(Warp& w, const Instr* next) {
    close_segment(w, next);
    running(w).pc = next;
    return nullptr;
}

const Instr* end_slice(Warp& w, const Instr* next) {
    w.slice_end = 0;
    return yield(w, next);
}

const Instr* poll_again(Warp& w, const Instr* next, uint32_t mbarrier) {
    running(w).polled = true;
    running(w).tested = mbarrier;
    return yield(w, next);
}

const Instr* diverge(Warp& w, uint32_t taken, const Instr* target, const Instr* next) {
    Split& stays = running(w);
    Split& leaves = w.splits[static_cast<size_t>(w.split_count++)];
    leaves = {};
    leaves.pc = leaves.began = target;
    leaves.frame = stays.frame;
    leaves.mask = taken;
    stays.mask &= ~taken;
    stays.pc = stays.began = next;
    return nullptr;
}

void part(Warp& w, uint32_t mask, const Instr* next) {
    if (mask == w.mask) return;
    Split& others = w.splits[static_cast<size_t>(w.split_count++)];
    others = {};
    others.pc = others.began = next;
    others.frame = w.frame;
    others.mask = w.mask & ~mask;
    running(w).mask = mask;
    w.mask = mask;
}

const Instr* wait_at(Warp& w, const Instr* i, Wait why) {
    close_segment(w, i);
    running(w).pc = i;
    running(w).wait = why;
    return nullptr;
}

const Instr* exit_lanes(Warp& w, const Instr* i, uint32_t mask) {
    w.live &= ~mask;
    const bool by_entry = w.frame->parent == nullptr;  // who exits in a function meets nobody behind it
    const Instr* const from = mask == w.mask && by_entry ? running(w).began : nullptr;
    for (uint32_t left = w.live != 0 ? mask : 0; left != 0; left &= left - 1)
        w.ended_from[static_cast<size_t>(std::countr_zero(left))] = from;
    land_all_copies(w, mask);
    for (int k = 0; k < w.split_count; ++k) {  // whoever waits for these lanes looks again
        Split& s = w.splits[static_cast<size_t>(k)];
        if (s.wait == Wait::collective || s.wait == Wait::convergence) s.wait = Wait::none;
    }
    close_segment(w, i + 1);
    for (Frame *f = w.frame, *parent = nullptr; f->parent != nullptr; f = parent) {
        parent = f->parent;
        leave_frame(w, *f, mask);
    }
    if (mask == w.mask) {
        remove_split(w, w.current);
        return nullptr;
    }
    running(w).mask &= ~mask;
    return yield(w, i + 1);
}

bool gather(Warp& w, const Instr* i, uint32_t members) {
    Split& s = running(w);
    const uint32_t missing = members & ~w.mask, gone = missing & ~w.live;
    if (gone != 0 || s.forced) {
        Incident incident;
        incident.kind = Incident::Kind::lane_not_in_mask;
        incident.first = witness(w, i, s.forced ? missing : gone);
        incident.detail = fmt::format(
            "{} of the warp, which wants all of them at this instruction, {}",
            lanes_named(s.forced ? missing : gone),
            s.forced ? "never arrive" : "have exited"
        );
        report(*w.block, std::move(incident));
    }
    if ((missing & w.live) == 0 || s.forced) {
        s.forced = false;
        return true;
    }
    s.members = members;
    wait_at(w, i, Wait::collective);
    return false;
}

}  // namespace wl::emulator
