// A block's shadow from start to end: synchronisation, stamps, atomics, copies. Plain accesses:
// shadow_access.cpp.
#include "instrumentation/emulator/shadow/shadow.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/program/program.h"
#include "instrumentation/emulator/shadow/shadow_cell.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace wl::emulator {

namespace {

// Calls `visit` with every stamp an access carries, by reference to the field or Stamp that holds it.
template <class Field, class Plain>
void visit_stamps(Shadow& shadow, Field&& visit_field, Plain&& visit_stamp) {
    for (size_t word = 0; word < shadow.cells.size(); ++word) {
        Cell& cell = shadow.cells[word];
        visit_field(cell.writer);
        visit_field(cell.readers);
        if (!is_split(cell.writer)) continue;
        for (uint32_t& writer : shadow.split[word].writer) visit_field(writer);
    }
    for (WordHistory& history : shadow.histories) {
        for (auto* touches : {&history.writers, &history.readers}) {
            for (Touch& touch : *touches) visit_stamp(touch.stamp);
        }
    }
    for (int warp = 0; warp < shadow.clocks.warps; ++warp) visit_stamp(shadow.clocks.warp[warp].time);
    visit_stamp(shadow.clocks.now);
}

template <class Plain>
void visit_knowledge(Knowledge& knowledge, Plain&& visit) {
    for (Stamp& stamp : knowledge.warps) visit(stamp);
    for (ThreadStamp& lane : knowledge.lanes) visit(lane.stamp);
}

// What clocks know: compared with stamps of accesses only.
template <class Plain>
void visit_knowledge(Clocks& clocks, Plain&& visit) {
    visit(clocks.last_release);
    visit(clocks.safe_for_all);
    for (WarpClock& clock : clocks.warp) {
        for (Stamp* stamp :
             {&clock.safe,
              &clock.newest_seen,
              &clock.lanes_safe,
              &clock.released,
              &clock.last_access,
              &clock.last_global}) {
            visit(*stamp);
        }
        for (Stamp& stamp : clock.seen) visit(stamp);
        for (Stamp& stamp : clock.passed) visit(stamp);
        for (ThreadStamp& lane : clock.seen_lanes) visit(lane.stamp);
        if (clock.acquired) {
            for (Knowledge& of_lane : *clock.acquired) visit_knowledge(of_lane, visit);
        }
        if (!clock.by_lane) continue;
        for (auto& lane : *clock.by_lane) {
            for (Stamp& stamp : lane) visit(stamp);
        }
    }
    for (BarrierClock& barrier : clocks.barrier) visit_knowledge(barrier.brought, visit);
    for (MbarrierClock& mbarrier : clocks.mbarrier) {
        visit_knowledge(mbarrier.gathering, visit);
        visit_knowledge(mbarrier.released, visit);
    }
}

// Counts the stamps in use from 1 again, in their order: a stamp becomes the number of stamps in use up to
// it.
void renumber(Shadow& shadow) {
    std::vector<Stamp> rank(kLastStamp + 1);
    auto in_use = [](uint32_t f) { return f != 0 && f < kSpecial; };
    visit_stamps(
        shadow,
        [&](uint32_t& f) {
            if (in_use(f)) rank[stamp_of(f)] = 1;
        },
        [&](Stamp& at) { rank[at] = 1; }
    );
    std::partial_sum(rank.begin(), rank.end(), rank.begin());
    if (rank.back() == kLastStamp) {
        throw Unsupported("unsupported: a block with a million unordered synchronisations");
    }
    visit_stamps(
        shadow,
        [&](uint32_t& f) {
            if (in_use(f)) f = rank[stamp_of(f)] << 12 | (f & 0xfff);
        },
        [&](Stamp& at) { at = rank[at]; }
    );
    visit_knowledge(shadow.clocks, [&](Stamp& at) { at = rank[at]; });
}

void after_synchronisation(Shadow& shadow) {
    if (shadow.clocks.now >= shadow.renumber_at) renumber(shadow);
}

}  // namespace

uint32_t number_site(Shadow& shadow, uint32_t site) {
    if (site >= shadow.dense_of_site.size()) shadow.dense_of_site.resize(site + 256);
    if (shadow.site_of_dense.empty()) shadow.site_of_dense.push_back(0);
    if (shadow.site_of_dense.size() > 0xffff) {
        throw Unsupported("unsupported: a kernel with more than 65535 shared memory instructions");
    }
    shadow.dense_of_site[site] = uint16_t(shadow.site_of_dense.size());
    shadow.site_of_dense.push_back(site);
    return shadow.dense_of_site[site];
}

void start(Shadow& shadow, const ShadowBlock& block) {
    shadow.block = block;
    start(shadow.clocks, block.threads);
    const size_t words = (block.bytes + 3) / 4;
    shadow.cells.assign(words, Cell{});
    if (shadow.split.size() < words) {
        shadow.split.resize(words);
        shadow.notes.resize(words);
    }
    shadow.free_histories.clear();
    for (size_t k = shadow.histories.size(); k-- > 0;) {  // their memory is used again, the first one first
        shadow.histories[k].writers.clear();
        shadow.histories[k].readers.clear();
        shadow.free_histories.push_back(static_cast<uint32_t>(k));
    }
    clear(shadow.open_reads);
    take_incidents(shadow);
    shadow.dropped = 0;
}

void arrive(Shadow& shadow, int barrier, int warp, bool waits) {
    arrive(shadow.clocks, barrier, warp, waits);
    after_synchronisation(shadow);
}

void complete(Shadow& shadow, int barrier) {
    complete(shadow.clocks, barrier);
    after_synchronisation(shadow);
}

void sync_warp(Shadow& shadow, int warp, uint32_t mask) {
    sync_warp(shadow.clocks, warp, mask);
    after_synchronisation(shadow);
}

void release(Shadow& shadow, int warp, uint32_t mask, int mbarrier) {
    auto& all = shadow.clocks.mbarrier;
    if (static_cast<size_t>(mbarrier) >= all.size()) all.resize(static_cast<size_t>(mbarrier) + 1);
    release(shadow.clocks, warp, mask, all[static_cast<size_t>(mbarrier)].gathering);
    after_synchronisation(shadow);
}

void release(Shadow& shadow, int warp, uint32_t mask, Knowledge& into) {
    release(shadow.clocks, warp, mask, into);
    after_synchronisation(shadow);
}

void complete_phase(Shadow& shadow, int mbarrier) {
    auto& all = shadow.clocks.mbarrier;
    if (static_cast<size_t>(mbarrier) < all.size()) complete_phase(all[static_cast<size_t>(mbarrier)]);
}

void acquire(Shadow& shadow, int warp, uint32_t mask, int mbarrier) {
    const auto& all = shadow.clocks.mbarrier;
    if (static_cast<size_t>(mbarrier) < all.size())
        acquire(shadow.clocks, warp, mask, all[static_cast<size_t>(mbarrier)].released);
}

void exit_warp(Shadow& shadow, int warp) { exit_warp(shadow.clocks, warp); }

void take_in(Shadow& shadow, int warp, uint32_t site, uint32_t lanes) {
    if (shadow.block.collective_reads == nullptr) return;
    const std::span<const uint32_t> numbers = taken_in(*shadow.block.collective_reads, site);
    take_in(shadow.open_reads, shadow.clocks, warp, numbers, lanes);
}

void atomic_shared(Shadow& shadow, const WarpAccess& access) {
    Actor actor = make_actor(shadow, AccessKind::atomic, access.warp, access.site);
    actor.access = &access;
    actor.memory = access.memory;
    touch_exactly(shadow, actor);
}

}  // namespace wl::emulator
