#include "instrumentation/emulator/clocks.h"

#include <algorithm>
#include <cassert>

namespace wl::emulator {

namespace {

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

}  // namespace

void start(Clocks& clocks, int threads) {
    assert(threads > 0 && threads <= kMaxWarps * 32);
    clocks.warps = (threads + 31) / 32;
    clocks.now = 1;
    clocks.last_release = clocks.safe_for_all = 0;
    clocks.barrier = {};
    for (int warp = 0; warp < clocks.warps; ++warp) {
        clocks.warp[warp] = WarpClock{};
        int lanes = std::min(32, threads - warp * 32);
        clocks.warp[warp].lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    }
}

void arrive(Clocks& clocks, int barrier, int warp, bool waits) {
    assert(barrier >= 0 && barrier < kMaxBarriers && warp >= 0 && warp < clocks.warps);
    BarrierClock& at = clocks.barrier[barrier];
    WarpClock& self = clocks.warp[warp];
    for (int other = 0; other < clocks.warps; ++other) {
        at.brought[other] = std::max(at.brought[other], self.seen[other]);
    }
    at.brought[warp] = std::max(at.brought[warp], clocks.now);
    at.arrived |= 1u << warp;
    self.released = clocks.last_release = clocks.now;
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
        for (int other = 0; other < clocks.warps; ++other) {
            self.seen[other] = std::max(self.seen[other], at.brought[other]);
        }
        self.lanes_safe = opened;
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
    if ((mask & self.lanes) == self.lanes) {
        self.lanes_safe = clocks.now;
        update_safe(clocks, warp);
        if (clocks.warps == 1) update_safe_for_all(clocks);
    } else {
        sync_lanes(self, mask & self.lanes, clocks.now);
    }
    advance(clocks, warp);
}

void exit_warp(Clocks& clocks, int warp) {
    assert(warp >= 0 && warp < clocks.warps);
    clocks.warp[warp].exited = true;
}

bool ordered(const Clocks& clocks, Stamp at, int by_warp, int by_lane, int warp, int lane) {
    const WarpClock& self = clocks.warp[warp];
    if (by_warp != warp) return at <= self.seen[by_warp];
    if (by_lane == lane || at <= self.lanes_safe) return true;
    return self.by_lane && at <= (*self.by_lane)[lane][by_lane];
}

int epoch_at(const Clocks& clocks, int warp, Stamp at) {
    const auto& passed = clocks.warp[warp].passed;
    return int(std::lower_bound(passed.begin(), passed.end(), at) - passed.begin());
}

}  // namespace wl::emulator
