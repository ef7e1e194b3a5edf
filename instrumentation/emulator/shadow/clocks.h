// Who is ordered after whom in one block: happens-before by vector clocks over warps, and over the lanes of a
// warp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace wl::emulator {

constexpr int kMaxWarps = 32;
constexpr int kMaxBarriers = 16;  // PTX ISA, bar.sync: barrier resources 0..15

// An instant of the block: it advances with every synchronisation of any warp. An access carries the stamp of
// its warp's latest synchronisation. 0: before everything.
using Stamp = uint32_t;
constexpr Stamp kLastStamp = (1u << 20) - 2;  // cells keep 20 bits; the topmost value is a mark of its own

// [a][b]: accesses of lane b up to this stamp happen before the next access of lane a.
using LaneStamps = std::array<std::array<Stamp, 32>, 32>;

// Accesses of one thread of the block up to this stamp.
struct ThreadStamp {
    int thread = 0;  // warp * 32 + lane
    Stamp stamp = 0;
};

// What a release hands on: [v]: accesses of warp v up to this stamp, and of some lanes up to a later one.
struct Knowledge {
    std::array<Stamp, kMaxWarps> warps{};
    std::vector<ThreadStamp> lanes;  // by rising thread
};

struct WarpClock {
    Stamp time = 1;         // carried by its accesses now
    Stamp safe = 0;         // accesses of any warp of the block up to here happen before all its next ones
    Stamp newest_seen = 0;  // no access of another warp after this happens before its next ones
    Stamp lanes_safe =
        0;  // accesses of its own lanes up to here happen before the next ones of all its lanes
    uint32_t synchronised = 0;  // how often all that its lanes had done came before all their next accesses
    Stamp released = 0;         // when it last arrived at a block barrier
    Stamp last_access = 0;      // of shared memory
    Stamp last_global = 0;      // of global memory, where races are looked for there
    bool exited = false;
    uint32_t lanes = 0;                   // lanes that exist: the block's last warp may be narrow
    std::array<Stamp, kMaxWarps> seen{};  // [v]: accesses of warp v up to here happen before its next ones
    std::vector<ThreadStamp> seen_lanes;  // the same for single lanes of other warps, beyond `seen`
    std::unique_ptr<LaneStamps> by_lane;  // only once a syncwarp named some of the lanes
    // What only some lanes have acquired, by lane; they share it at the next syncwarp. Else null.
    std::unique_ptr<std::array<Knowledge, 32>> acquired;
    std::vector<Stamp> passed;  // when it passed each block barrier
};

// What the warps that stand at one barrier have brought to it.
struct BarrierClock {
    uint32_t arrived = 0, waiting = 0;  // warps
    Knowledge brought;
};

// What an mbarrier hands from those that arrive to those that wait for it.
struct MbarrierClock {
    Knowledge gathering;  // by the arrivals so far
    Knowledge released;   // by those of the completed phases
};

struct Clocks {
    int warps = 0;
    Stamp now = 1;
    Stamp last_release = 0;  // by any warp
    Stamp safe_for_all = 0;  // accesses of any warp up to here happen before all next ones of every warp
    std::array<WarpClock, kMaxWarps> warp;
    std::array<BarrierClock, kMaxBarriers> barrier;
    std::vector<MbarrierClock> mbarrier;
};

void start(Clocks& clocks, int threads);  // 1..1024

// The warp's accesses so far are released into the barrier. `waits`: bar.sync, the warp stands still until
// `complete`; otherwise bar.arrive, it goes on.
void arrive(Clocks& clocks, int barrier, int warp, bool waits);
// The barrier opens: what was brought to it happens before everything the waiting warps do next.
void complete(Clocks& clocks, int barrier);
// bar.warp.sync: what the lanes of `mask` did happens before what they do next.
void sync_warp(Clocks& clocks, int warp, uint32_t mask);
// An arrival: what the lanes of `mask` did, and know of, joins `into`; the warp goes on.
void release(Clocks& clocks, int warp, uint32_t mask, Knowledge& into);
// A wait that succeeded: what was released happens before what the lanes of `mask` do next.
void acquire(Clocks& clocks, int warp, uint32_t mask, const Knowledge& from);
// The phase of an mbarrier is complete: its waits hand on what its arrivals brought.
void complete_phase(MbarrierClock& mbarrier);
// No more accesses of this warp come. It is not a release.
void exit_warp(Clocks& clocks, int warp);

// Does an access of (by_warp, by_lane) with stamp `at` happen before the next access of (warp, lane)?
bool ordered(const Clocks& clocks, Stamp at, int by_warp, int by_lane, int warp, int lane);

// Block barriers that the warp had passed at `at`.
int epoch_at(const Clocks& clocks, int warp, Stamp at);

}  // namespace wl::emulator
