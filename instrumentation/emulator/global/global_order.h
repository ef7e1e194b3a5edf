// Which accesses of global memory happen before which, among the warps of all blocks of a launch: within a
// block by its clocks, between blocks by releases. A release is a fence that covers what its warp did and
// knew, and a strong write behind it (PTX ISA 9.0, 8.8: release pattern), the fence perhaps by another warp
// before a barrier; whoever reads that location strongly has acquired it. Not modelled, so that an order may
// be seen where there is none, never the reverse: lanes of a warp release together, and all warps of a block
// know of other blocks what one of them has acquired; an acquiring read needs no fence after it. But where
// the next that its warp does is a fence of the block alone, nothing is acquired of other blocks.
#pragma once

#include "instrumentation/emulator/shadow/shadow.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace wl::emulator {

// An instant of one block, as a Stamp, but never counted anew.
using Moment = uint32_t;

// [releaser]: how many of its releases are known. Shared until it changes; nullptr: none.
using Known = std::shared_ptr<const std::vector<uint32_t>>;
using Moments = std::array<Moment, kMaxWarps>;

// What a warp's fence covers: accesses of its block by warp, and what was known of other blocks.
struct Fence {
    Moment at = 0;
    int lane = 0;
    bool block_only = false;
    Moments seen{};
    Known known;
};

// What the releases of one warp for one scope have handed on; release n is made[n - 1].
struct Releaser {
    int64_t block = 0;
    int warp = 0;
    bool block_only = false;
    std::vector<Moments> made;
};

// What is acquired by reading a location.
struct Location {
    Known all, within;
    int64_t block = -1;  // that may acquire `within`
};

struct WarpOrder {
    std::vector<Fence> fences;  // the latest last
    bool touched = true;        // memory, since its last fence
    bool hands_on =
        false;  // its last fence for the device covers a write of the block, and it wrote nothing since
    std::array<Known, 4> heard;
    size_t next_heard = 0;
    Knowledge covered;  // of its own block, by its latest fence
    // What its reads have just acquired of other blocks, by no fence yet, and what the block knew before.
    Known pending, before;
};

// One block while it runs.
struct BlockOrder {
    int64_t block = -1;
    Shadow* shadow = nullptr;
    Moment offset = 0;  // of its stamps
    Stamp latest = 0;
    Known known;
    Known confirmed;      // of it what no fence takes back
    bool fenced = false;  // some warp has executed a fence
    bool wrote = false;   // some warp has written to global memory
    std::array<WarpOrder, kMaxWarps> warps;
    std::unordered_map<uint64_t, MbarrierClock> flags;  // what its own warps acquire, by location
};

struct GlobalOrder {
    std::vector<Releaser> releasers;
    std::unordered_map<int64_t, std::vector<uint32_t>> of_block;  // indices in `releasers`
    std::unordered_map<uint64_t, Location> locations;             // by address; see location_of
};

// A thread of a launch, about to access memory.
struct Agent {
    BlockOrder* block = nullptr;
    int warp = 0, lane = 0;
};

struct PastAccess {
    int64_t block = 0;
    int warp = 0, lane = 0;
    Moment at = 0;
};

void begin(BlockOrder& order, int64_t block, Shadow& shadow);
// What an access of the warp carries now.
Moment now(BlockOrder& order, int warp);

// A word of shared memory as a key of GlobalOrder::locations; global memory: the address.
inline uint64_t location_of(int64_t block, uint64_t offset) {
    return uint64_t{1} << 63 | static_cast<uint64_t>(block) << 32 | offset;
}

void fence(BlockOrder& order, int warp, uint32_t mask, bool block_only);
void strong_write(GlobalOrder& all, const Agent& agent, uint64_t location, bool update);
// `acquires`: by itself, for the device.
void strong_read(GlobalOrder& all, const Agent& agent, uint64_t location, bool acquires);
// The warp makes another access: what its reads acquired stays.
void confirm(BlockOrder& order, int warp);

// The same within one block, for its own accesses of shared and global memory: a strong write behind a fence
// of its warp, and a strong read.
void raise_flag(BlockOrder& order, int warp, uint64_t location, bool update);
void see_flag(BlockOrder& order, int warp, int lane, uint64_t location);

bool ordered(const GlobalOrder& all, const PastAccess& past, const Agent& agent);

}  // namespace wl::emulator
