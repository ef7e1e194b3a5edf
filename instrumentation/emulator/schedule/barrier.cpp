// Models the 16 block barriers by arrived lanes: a full barrier waits for every lane that has not exited, a
// counted one for that many threads. Not modelled: the hardware's counting of whole warps when only some
// lanes arrive.
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/arrays.h"
#include "instrumentation/emulator/observe/hooked.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/observe/part_exited.h"
#include "instrumentation/emulator/observe/record.h"
#include "instrumentation/emulator/schedule/mbarrier.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

bool complete(const Block& block, const Barrier& barrier) {
    if (barrier.expected != 0) return barrier.threads >= barrier.expected;
    for (const Warp& w : block.warps)
        if ((w.live & ~barrier.lanes[static_cast<size_t>(w.index)]) != 0) return false;
    return true;
}

void reduce(const Barrier& barrier, Warp& w, const Split& split) {
    const Instr* i = split.pc;
    if (i->target < 0) return;
    const auto kind = static_cast<ptx::BoolOp>(i->target);
    become(w, split);
    if (kind == ptx::BoolOp::popc) {
        const uint32_t count = barrier.count;
        write_lanes<uint32_t>(w, i->r[0], [=](int) { return count; });
    } else {
        const bool truth = kind == ptx::BoolOp::and_ ? barrier.all : barrier.any;
        write_predicate(w, i->r[0], truth ? kAllLanes : 0);
    }
}

// Those who have exited count as arrived. A GPU says nothing of them, but what they should have done is
// missing.
void look_at_exited(Block& block, const Barrier& barrier) {
    if (barrier.first == nullptr) return;
    const Warp* first = nullptr;
    int threads = 0;
    for (const Warp& w : block.warps) {
        const uint32_t exited = w.exists & ~w.live;
        if (exited == 0) continue;
        threads += std::popcount(exited);
        if (first == nullptr) first = &w;
    }
    if (first == nullptr) return;
    Incident incident;
    incident.kind = Incident::Kind::left_early;
    incident.first = witness(*first, barrier.first, first->exists & ~first->live);
    incident.detail = fmt::format("{} threads of block", threads);
    report(block, std::move(incident));
}

// The warp's running lanes are only some of `all`.
void report_part(Warp& w, const Instr* i, uint32_t all, uint32_t id, std::string_view others = "") {
    Incident incident;
    incident.kind = Incident::Kind::divergent_barrier;
    incident.first = witness(w, i, w.mask);
    incident.detail = fmt::format(
        "{} of the warp's {} lanes reach barrier {}{}", std::popcount(w.mask), std::popcount(all), id, others
    );
    report(*w.block, std::move(incident));
}

void release(Block& block, uint32_t id) {
    Barrier& barrier = block.now.barriers[id];
    look_at_exited(block, barrier);
    if (barrier.expected == 0) take_arrays(block, id);
    if (block.now.variant != kPlain) complete(block.shadow, static_cast<int>(id));
    for (Warp& w : block.warps) {
        const uint32_t arrived = barrier.lanes[static_cast<size_t>(w.index)];
        if (arrived == 0) continue;
        ++w.epoch;
        bool waited = false;
        for (int k = 0; k < w.split_count; ++k) {
            Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait != Wait::barrier || s.barrier != id) continue;
            reduce(barrier, w, s);
            if (!waited && barrier.clock > w.clock) {
                w.joined += barrier.clock - w.clock;
                w.clock = barrier.clock;
            }
            waited = true;
            if (block.recorder != nullptr) record_warp(w, s.pc, capture::EventKind::barrier_release, id);
            s.wait = Wait::none;
            s.pc = s.pc + 1;
        }
    }
    barrier = {};
}

const Instr* report_no_barrier(Warp& w, const Instr* i, uint32_t id) {
    Incident incident;
    incident.kind = Incident::Kind::trap;
    incident.first = witness(w, i, w.mask);
    incident.detail = fmt::format("barrier {}: a block has the barriers 0 to {}", id, kMaxBarriers - 1);
    return give_up(w, i, std::move(incident));
}

// One line of the source, through the same calls.
bool same_place(const std::vector<capture::Site>& sites, int a, int b) {
    for (; a >= 0 && b >= 0 && a != b;) {
        const capture::Site &x = sites[static_cast<size_t>(a)], &y = sites[static_cast<size_t>(b)];
        if (x.source != y.source || x.line != y.line) return false;
        a = x.inlined_at, b = y.inlined_at;
    }
    return a == b;
}

// __syncthreads() is one barrier for all of the block (CUDA C++ Programming Guide, synchronization
// functions): the condition around it must be the same for all threads.
void look_at_place(Warp& w, const Instr* i, Barrier& barrier) {
    Block& block = *w.block;
    if (barrier.first == nullptr) {
        barrier.first = i;
        barrier.first_warp = w.index;
        return;
    }
    const auto place = [](const Instr* at) { return static_cast<int>(at->site); };
    if (w.index == barrier.first_warp ||
        same_place(block.context.program->listing.sites, place(barrier.first), place(i)))
        return;
    Incident incident;
    incident.kind = Incident::Kind::divergent_barrier;
    const Warp& first = block.warps[static_cast<size_t>(barrier.first_warp)];
    incident.first = witness(w, i, w.mask);
    incident.second = witness(first, barrier.first, first.live);
    incident.detail = fmt::format(
        "warp {} waits here for warp {}, which waits at another __syncthreads()", w.index, barrier.first_warp
    );
    report(block, std::move(incident));
}

// Is the instruction of a function that the warp's lanes are in, below the entry?
bool is_in_call(const Warp& w, size_t at) {
    const FunctionCode* of = nullptr;
    for (const FunctionCode& f : w.block->context.program->functions)
        if (f.is_defined && f.begin <= at && (of == nullptr || f.begin > of->begin)) of = &f;
    for (const Frame* f = w.frame; f->parent != nullptr; f = f->parent)
        if (f->function == of) return true;
    return false;
}

// Where the entry has come to: the instruction, or the call that the warp's lanes are in.
const Instr* in_entry(const Warp& w, const Instr* i) {
    for (const Frame* f = w.frame; f->parent != nullptr; f = f->parent) i = f->call;
    return i;
}

// Has the lane that ended on a way that begins at `from` missed the barrier at `i`, rather than returned
// before it? One that parted from the others in a function where these still are has left it early.
bool goes_round(const Warp& w, const Instr* from, const Instr* i) {
    const Block& block = *w.block;
    const WaysRound& ways = block.context.program->ways_round;
    const size_t start = code_index(block, from), at = code_index(block, in_entry(w, i));
    if (start >= ways.block_of.size()) return is_in_call(w, start);
    if (at >= ways.block_of.size()) return false;
    const auto on = [&](uint32_t b) { return b < ways.exit; };
    const uint32_t here = ways.block_of[at];
    for (uint32_t s = ways.block_of[start]; on(s); s = ways.meets[s]) {
        if (s == here) return false;
        for (uint32_t b = ways.meets[here]; on(b); b = ways.meets[b])
            if (b == s) return true;
    }
    return false;
}

// Lanes of the warp that have exited and do not count as arrived.
uint32_t gone_round(const Warp& w, const Instr* i) {
    uint32_t out = 0;
    for (uint32_t left = w.exists & ~w.live; left != 0; left &= left - 1) {
        const int lane = first_lane(left);
        const Instr* const from = w.ended_from[static_cast<size_t>(lane)];
        if (from != nullptr && goes_round(w, from, i)) out |= 1u << lane;
    }
    return out;
}

}  // namespace

const Instr* arrive_at_barrier(Warp& w, const Instr* i, const Arrival& arrival) {
    Block& block = *w.block;
    if (arrival.id >= block.now.barriers.size()) return report_no_barrier(w, i, arrival.id);
    Barrier& barrier = block.now.barriers[arrival.id];
    const uint32_t gone = arrival.aligned && w.exists != w.live ? gone_round(w, i) : 0;
    if (w.mask != w.live || gone != 0)
        report_part(w, i, w.live | gone, arrival.id);
    else if (arrival.aligned && w.exists != w.live)
        report_part(w, i, w.exists, arrival.id, kPartExited);
    if (arrival.id == 0 && arrival.threads == 0) look_at_place(w, i, barrier);
    close_segment(w, i + 1);
    ++block.now.changes;
    uint32_t& lanes = barrier.lanes[static_cast<size_t>(w.index)];
    lanes |= w.mask;
    barrier.threads += w.mask == w.live ? kLanes : static_cast<uint32_t>(std::popcount(w.mask));
    barrier.expected = arrival.threads;
    barrier.clock = std::max(barrier.clock, w.clock);
    const uint32_t truth = arrival.predicate & w.mask;
    barrier.any = barrier.any || truth != 0;
    barrier.all = barrier.all && truth == w.mask;
    barrier.count += static_cast<uint32_t>(std::popcount(truth));
    if (block.now.variant != kPlain)
        arrive(block.shadow, static_cast<int>(arrival.id), w.index, arrival.waits);
    if (block.recorder != nullptr) record_warp(w, i, capture::EventKind::barrier_arrive, arrival.id);
    if (arrival.waits) {
        running(w).pc = i;
        running(w).wait = Wait::barrier;
        running(w).barrier = static_cast<uint8_t>(arrival.id);
    } else {
        running(w).pc = i + 1;
    }
    return nullptr;
}

void settle(Block& block) {
    for (uint32_t id = 0; id < block.now.barriers.size(); ++id) {
        const Barrier& barrier = block.now.barriers[id];
        if (barrier.threads != 0 && complete(block, barrier)) release(block, id);
    }
    settle_marks(block);
}

namespace {

// Of a full barrier also who has not come: as nobody goes on, they never will.
std::string awaited_barrier(const Block& block, uint32_t id) {
    const Barrier& barrier = block.now.barriers[id];
    if (barrier.expected != 0)
        return fmt::format("barrier {} ({} of {} threads have come)", id, barrier.threads, barrier.expected);
    int come = 0, live = 0;
    std::string missing;
    for (const Warp& w : block.warps) {
        const uint32_t lanes = barrier.lanes[static_cast<size_t>(w.index)] & w.live;
        come += std::popcount(lanes), live += std::popcount(w.live);
        if (lanes != w.live) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", w.index);
    }
    return fmt::format(
        "barrier {} ({} of {} threads have come, none or not all of warp {})", id, come, live, missing
    );
}

std::string awaited(const Block& block, const Split& s) {
    if (s.wait == Wait::barrier) return awaited_barrier(block, s.barrier);
    if (s.wait == Wait::collective) return "a collective";
    if (s.wait == Wait::convergence) return "a barrier, for the rest of its lanes";
    return describe_mbarrier(block, s.tested);
}

}  // namespace

void report_deadlock(Block& block) {
    Incident incident;
    incident.kind = Incident::Kind::deadlock;
    std::vector<std::string> waiting;
    std::string exited;
    for (Warp& w : block.warps) {
        if (w.live == 0) exited += (exited.empty() ? "" : ", ") + std::to_string(w.index);
        for (int k = 0; k < w.split_count; ++k) {
            const Split& s = w.splits[static_cast<size_t>(k)];
            if (incident.first.block < 0) incident.first = witness(w, s.pc, s.mask);
            const auto& site = block.context.program->listing.sites[s.pc->site];
            waiting.push_back(
                fmt::format("warp {} waits at {} in line {}", w.index, awaited(block, s), site.line)
            );
        }
    }
    for (const std::string& line : waiting) incident.detail += (incident.detail.empty() ? "" : ", ") + line;
    if (!exited.empty()) incident.detail += "; warps that have exited: " + exited;
    report(block, std::move(incident));
}

bool go_on_diverged(Block& block) {
    bool any = false;
    for (Warp& w : block.warps) {
        for (int k = 0; k < w.split_count; ++k) {
            Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait != Wait::convergence) continue;
            s.forced = any = true;
            s.wait = Wait::none;
        }
    }
    return any;
}

bool resolve_standstill(Block& block) {
    if (release_marks(block)) return true;
    for (Warp& w : block.warps) {
        for (int k = 0; k < w.split_count; ++k) {
            Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait != Wait::collective && s.wait != Wait::convergence) continue;
            s.forced = true;
            s.wait = Wait::none;
            return true;
        }
    }
    report_deadlock(block);
    return false;
}

}  // namespace wl::emulator
