// The way of single bytes through a block: what of a slice carries them, and who touches memory.
#pragma once

#include "instrumentation/travel/slice.h"
#include "instrumentation/travel/wanted.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace wl::travel {

// An execution by one lane whose result was made of the bytes, among others.
struct Link {
    uint64_t order = 0;
    uint32_t site = 0;
    int warp = 0, lane = 0;
    Cell to;
    Cell read;           // memory that held some of the bytes and was read here; mask 0: registers alone
    bool mixed = false;  // here or before something else came to it
};

// In kernel time. Whole registers: two halves of one are told apart in memory only.
std::vector<Link> way_of(const Slice& slice, const Bytes& source);

// Did the same lane execute it at the same instant, and write the same?
bool same_link(const Link& a, const Link& b);

// A lane that reads or writes some of the bytes.
struct Touch {
    uint64_t order = 0;
    uint32_t site = 0;
    int warp = 0, lane = 0;
    uint64_t address = 0;
    uint32_t bytes = 0;
    bool writes = false;
};
// In kernel time, of one of the ranges each; by these warps and lanes alone, where they are given. Runs the
// block to its end.
using Lanes = std::set<std::pair<int, int>>;
std::vector<Touch> touches_of(Route& route, const std::vector<Bytes>& ranges, const Lanes* by = nullptr);
// That executed something on the way.
Lanes lanes_of(const Slice& slice);

// How often the lane executed the instruction before. Runs the block up to there.
uint64_t times_before(Route& route, const Link& link);

}  // namespace wl::travel
