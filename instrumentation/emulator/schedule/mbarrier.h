// mbarrier objects: counting arrivals and bytes, ending phases, and what a kernel may not do with them. PTX
// ISA 9.7.13.15.
#pragma once

#include "instrumentation/emulator/machine/block.h"

#include <string>

namespace wl::emulator {

// In place of an mbarrier's offset: the barrier of the cluster.
constexpr uint32_t kClusterBarrier = ~0u;

constexpr uint32_t kMaxArrivals = (1u << 20) - 1;  // of a phase; also the most bytes that it may wait for

// Some lanes of the running split at one mbarrier.
struct MbarrierUse {
    const Instr* instr = nullptr;
    uint32_t lanes = 0;
    uint32_t offset = 0;  // in the block's window; aligned to 8 bytes and inside it
    bool beside = false;  // the instruction's first address is another
};

void make_mbarrier(Warp& w, const MbarrierUse& use, uint32_t count);
void end_mbarrier(Warp& w, const MbarrierUse& use);
// The live mbarrier there, its use noted; nullptr: there is none, and an incident says so.
Mbarrier* use_mbarrier(Warp& w, const MbarrierUse& use);

// What the lanes of one use do, one after the other.
struct Arrivals {
    std::array<uint32_t, kLanes> count{};  // arrivals
    std::array<uint32_t, kLanes> bytes{};  // expected before them
    bool drops = false;                    // later phases do without them
    bool completes = true;                 // false: .noComplete
};
// Each phase that ends hands on what the lanes up to there did. Returns the opaque word that each lane found.
std::array<uint64_t, kLanes> arrive(Warp& w, const MbarrierUse& use, Mbarrier& m, const Arrivals& arrivals);

// The phase waits for so many more bytes; fewer when negative: they have come. It may end.
void count_bytes(Warp& w, const MbarrierUse& use, Mbarrier& m, int64_t bytes);

// The mbarrier follows the copies that the lanes have issued so far. `counted`: they arrive once a lane; else
// the phase waits for them besides its arrivals.
void track_copies(Warp& w, const MbarrierUse& use, Mbarrier& m, bool counted);
// The copies that it follows land, and arrive.
void land_tracked(Warp& w, const MbarrierUse& use, Mbarrier& m);

// An incident of the lanes at their mbarrier. `other`: an earlier access that explains it.
void report_misuse(Warp& w, const MbarrierUse& use, std::string detail, const Access& other = {});

// For a person: "the mbarrier at shared address 0x40 (its phase 1 lacks 2 of 4 arrivals and 0 bytes)".
std::string describe_mbarrier(const Block& block, uint32_t offset);

// The opaque 64-bit form; the arrivals that were still to come and the parity of the phase when it was taken.
uint64_t opaque(const Mbarrier& m);
constexpr uint32_t pending_of(uint64_t word) {
    return (1u << 20) - static_cast<uint32_t>(word >> 43 & kMaxArrivals);
}
constexpr uint32_t parity_of(uint64_t word) { return static_cast<uint32_t>(word >> 63); }

}  // namespace wl::emulator
