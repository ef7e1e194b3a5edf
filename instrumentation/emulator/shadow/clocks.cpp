#include "instrumentation/emulator/shadow/clocks.h"

#include <algorithm>
#include <cassert>

namespace wl::emulator {

namespace {

Stamp stamp_of(const std::vector<ThreadStamp>& lanes, int thread) {
    const auto at = std::lower_bound(lanes.begin(), lanes.end(), thread, [](const ThreadStamp& a, int b) {
        return a.thread < b;
    });
    return at != lanes.end() && at->thread == thread ? at->stamp : 0;
}

void join_lane(std::vector<ThreadStamp>& lanes, const ThreadStamp& lane) {
    const auto at = std::lower_bound(
        lanes.begin(), lanes.end(), lane.thread, [](const ThreadStamp& a, int b) { return a.thread < b; }
    );
    if (at != lanes.end() && at->thread == lane.thread) {
        at->stamp = std::max(at->stamp, lane.stamp);
    } else {
        lanes.insert(at, lane);
    }
}

// Lanes of which the whole warp tells as much.
void drop_covered(std::vector<ThreadStamp>& lanes, const std::array<Stamp, kMaxWarps>& warps) {
    std::erase_if(lanes, [&](const ThreadStamp& lane) { return lane.stamp <= warps[lane.thread / 32]; });
}

void join(Knowledge& into, const std::array<Stamp, kMaxWarps>& warps, const std::vector<ThreadStamp>& lanes) {
    for (int warp = 0; warp < kMaxWarps; ++warp) into.warps[warp] = std::max(into.warps[warp], warps[warp]);
    for (const ThreadStamp& lane : lanes) join_lane(into.lanes, lane);
    if (!into.lanes.empty()) drop_covered(into.lanes, into.warps);
}

// What `safe` may be, given `seen`. A warp that has left with all its accesses seen holds nobody back.
void update_safe(Clocks& clocks, int warp) {
    WarpClock& self = clocks.warp[warp];
    Stamp safe = self.lanes_safe;
    for (int other = 0; other < clocks.warps; ++other) {
        const WarpClock& clock = clocks.warp[other];
        bool gone = other == warp || (clock.exited && clock.last_access <= self.seen[other]);
        if (!gone) safe = std::min(safe, self.seen[other]);
        if (other != warp) self.newest_seen = std::max(self.newest_seen, self.seen[other]);
    }
    self.safe = safe;
}

void update_safe_for_all(Clocks& clocks) {
    Stamp safe = kLastStamp;
    for (int warp = 0; warp < clocks.warps; ++warp) {
        if (!clocks.warp[warp].exited) safe = std::min(safe, clocks.warp[warp].safe);
    }
    clocks.safe_for_all = std::min(safe, clocks.now);
}

void advance(Clocks& clocks, int warp) { clocks.warp[warp].time = ++clocks.now; }

void sync_lanes(WarpClock& self, uint32_t mask, Stamp now) {
    if (!self.by_lane) self.by_lane = std::make_unique<LaneStamps>();
    std::array<Stamp, 32> joined{};
    for (int lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const auto& seen = (*self.by_lane)[lane];
        for (int other = 0; other < 32; ++other) joined[other] = std::max(joined[other], seen[other]);
        joined[lane] = now;
    }
    // A lane's own entry may be newer in `joined` than what another lane knew of it, never older.
    for (int lane = 0; lane < 32; ++lane) {
        if (mask >> lane & 1) (*self.by_lane)[lane] = joined;
    }
}

// The lanes of `mask` know what any of them has acquired.
void share_acquired(WarpClock& self, uint32_t mask) {
    Knowledge all;
    for (int lane = 0; lane < 32; ++lane) {
        const Knowledge& of_lane = (*self.acquired)[lane];
        if (mask >> lane & 1) join(all, of_lane.warps, of_lane.lanes);
    }
    for (int lane = 0; lane < 32; ++lane) {
        if (mask >> lane & 1) (*self.acquired)[lane] = all;
    }
}

LaneStamps& lane_stamps(WarpClock& self) {
    if (!self.by_lane) self.by_lane = std::make_unique<LaneStamps>();
    return *self.by_lane;
}

// What the lanes of `mask` did up to the stamps of `from` is ordered before the next accesses of `lane`.
void join_own_lanes(WarpClock& self, int warp, uint32_t mask, const Knowledge& from) {
    const bool news = from.warps[warp] > self.lanes_safe ||
        std::any_of(from.lanes.begin(), from.lanes.end(), [=](const ThreadStamp& lane) {
                          return lane.thread / 32 == warp;
                      });
    if (!news) return;
    LaneStamps& stamps = lane_stamps(self);
    for (int lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        for (Stamp& at : stamps[lane]) at = std::max(at, from.warps[warp]);
        for (const ThreadStamp& other : from.lanes) {
            if (other.thread / 32 != warp) continue;
            Stamp& at = stamps[lane][other.thread % 32];
            at = std::max(at, other.stamp);
        }
    }
}

// All lanes of the warp know `from`.
void join_seen(Clocks& clocks, int warp, const Knowledge& from) {
    WarpClock& self = clocks.warp[warp];
    Knowledge known{self.seen, std::move(self.seen_lanes)};
    join(known, from.warps, from.lanes);
    self.seen = known.warps;
    self.seen_lanes = std::move(known.lanes);
    for (const ThreadStamp& lane : self.seen_lanes) {
        if (lane.thread / 32 != warp) self.newest_seen = std::max(self.newest_seen, lane.stamp);
    }
}

}  // namespace

void start(Clocks& clocks, int threads) {
    assert(threads > 0 && threads <= kMaxWarps * 32);
    clocks.warps = (threads + 31) / 32;
    clocks.now = 1;
    clocks.last_release = clocks.safe_for_all = 0;
    clocks.barrier = {};
    clocks.mbarrier.clear();
    for (int warp = 0; warp < clocks.warps; ++warp) {
        clocks.warp[warp] = WarpClock{};
        int lanes = std::min(32, threads - warp * 32);
        clocks.warp[warp].lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    }
}

namespace {

// What all lanes of the warp did and know.
void release_warp(Clocks& clocks, int warp, Knowledge& into) {
    WarpClock& self = clocks.warp[warp];
    if (self.acquired) {
        for (const Knowledge& of_lane : *self.acquired) join(into, of_lane.warps, of_lane.lanes);
    }
    into.warps[warp] = std::max(into.warps[warp], clocks.now);
    join(into, self.seen, self.seen_lanes);
    self.released = clocks.last_release = clocks.now;
}

}  // namespace

void arrive(Clocks& clocks, int barrier, int warp, bool waits) {
    assert(barrier >= 0 && barrier < kMaxBarriers && warp >= 0 && warp < clocks.warps);
    BarrierClock& at = clocks.barrier[barrier];
    release_warp(clocks, warp, at.brought);
    at.arrived |= 1u << warp;
    if (waits) {
        at.waiting |= 1u << warp;
    } else {
        advance(clocks, warp);
    }
}

void complete(Clocks& clocks, int barrier) {
    assert(barrier >= 0 && barrier < kMaxBarriers);
    BarrierClock& at = clocks.barrier[barrier];
    const Stamp opened = clocks.now++;
    for (int warp = 0; warp < clocks.warps; ++warp) {
        if (!(at.waiting >> warp & 1)) continue;
        WarpClock& self = clocks.warp[warp];
        join_seen(clocks, warp, at.brought);
        self.acquired.reset();  // what it brought is part of what it gets
        self.lanes_safe = opened;
        ++self.synchronised;
        self.time = clocks.now;
        self.passed.push_back(opened);
        update_safe(clocks, warp);
    }
    at = {};
    update_safe_for_all(clocks);
}

void sync_warp(Clocks& clocks, int warp, uint32_t mask) {
    assert(warp >= 0 && warp < clocks.warps);
    WarpClock& self = clocks.warp[warp];
    if (self.acquired) share_acquired(self, mask & self.lanes);
    if ((mask & self.lanes) == self.lanes) {
        self.lanes_safe = clocks.now;
        ++self.synchronised;
        if (self.acquired) {
            join_seen(clocks, warp, (*self.acquired)[0]);
            self.acquired.reset();
        }
        update_safe(clocks, warp);
        if (clocks.warps == 1) update_safe_for_all(clocks);
    } else {
        sync_lanes(self, mask & self.lanes, clocks.now);
    }
    advance(clocks, warp);
}

void release(Clocks& clocks, int warp, uint32_t mask, Knowledge& into) {
    WarpClock& self = clocks.warp[warp];
    mask &= self.lanes;
    if (mask == self.lanes) {
        release_warp(clocks, warp, into);
    } else {
        for (int lane = 0; lane < 32; ++lane) {
            if (!(mask >> lane & 1)) continue;
            if (self.acquired) join(into, (*self.acquired)[lane].warps, (*self.acquired)[lane].lanes);
            if (std::max(self.last_access, self.last_global) > self.lanes_safe)
                join_lane(into.lanes, {warp * 32 + lane, clocks.now});
            if (!self.by_lane) continue;
            for (int other = 0; other < 32; ++other) {
                const Stamp at = (*self.by_lane)[lane][other];
                if (at > self.lanes_safe) join_lane(into.lanes, {warp * 32 + other, at});
            }
        }
        into.warps[warp] = std::max(into.warps[warp], self.lanes_safe);
        join(into, self.seen, self.seen_lanes);
        self.released = clocks.last_release = clocks.now;
    }
    advance(clocks, warp);
}

void acquire(Clocks& clocks, int warp, uint32_t mask, const Knowledge& from) {
    WarpClock& self = clocks.warp[warp];
    mask &= self.lanes;
    if (mask == self.lanes) {
        self.lanes_safe = std::max(self.lanes_safe, from.warps[warp]);
        join_own_lanes(self, warp, mask, from);
        join_seen(clocks, warp, from);
        update_safe(clocks, warp);
        update_safe_for_all(clocks);
        return;
    }
    join_own_lanes(self, warp, mask, from);
    if (!self.acquired) self.acquired = std::make_unique<std::array<Knowledge, 32>>();
    for (int lane = 0; lane < 32; ++lane) {
        if (mask >> lane & 1) join((*self.acquired)[lane], from.warps, from.lanes);
    }
    for (int other = 0; other < clocks.warps; ++other) {
        if (other != warp) self.newest_seen = std::max(self.newest_seen, from.warps[other]);
    }
    for (const ThreadStamp& lane : from.lanes) {
        if (lane.thread / 32 != warp) self.newest_seen = std::max(self.newest_seen, lane.stamp);
    }
}

void complete_phase(MbarrierClock& mbarrier) {
    join(mbarrier.released, mbarrier.gathering.warps, mbarrier.gathering.lanes);
    mbarrier.gathering = {};
}

void exit_warp(Clocks& clocks, int warp) {
    assert(warp >= 0 && warp < clocks.warps);
    clocks.warp[warp].exited = true;
}

bool ordered(const Clocks& clocks, Stamp at, int by_warp, int by_lane, int warp, int lane) {
    const WarpClock& self = clocks.warp[warp];
    if (by_warp != warp) {
        if (at <= self.seen[by_warp]) return true;
        const int thread = by_warp * 32 + by_lane;
        if (at <= stamp_of(self.seen_lanes, thread)) return true;
        if (!self.acquired) return false;
        const Knowledge& of_lane = (*self.acquired)[lane];
        return at <= of_lane.warps[by_warp] || at <= stamp_of(of_lane.lanes, thread);
    }
    if (by_lane == lane || at <= self.lanes_safe) return true;
    return self.by_lane && at <= (*self.by_lane)[lane][by_lane];
}

int epoch_at(const Clocks& clocks, int warp, Stamp at) {
    const auto& passed = clocks.warp[warp].passed;
    return int(std::lower_bound(passed.begin(), passed.end(), at) - passed.begin());
}

}  // namespace wl::emulator
