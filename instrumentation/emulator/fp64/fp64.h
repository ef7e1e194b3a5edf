// Beside every floating point value of a block the one that FP64 arithmetic gives: the same instructions on
// the same data, with branches, addresses, choices and roundings to whole numbers as they were, and no other
// result rounded to its format. Where a value and its companion part, precision is lost or a format
// overflows. Followed through registers, memory, shuffles, atomic sums and matrix products. What goes through
// integer arithmetic, the parameters of calls or textures begins anew behind it, as the value that it is.
#pragma once

#include "instrumentation/emulator/schedule/watched_blocks.h"

#include <string>
#include <vector>

namespace wl::emulator {

constexpr uint32_t kNoSite = ~0u;

struct Fp64Options {
    uint64_t most_instructions = uint64_t{1} << 22;  // of warps, over all blocks: the rest is left out
    uint64_t schedule_seed = 0;
    std::vector<int64_t> blocks;      // linear; empty: all
    std::vector<uint32_t> unrounded;  // sites: results of all others are rounded; empty: none is
};

// An element in global memory that FP64 would have made another.
struct Fp64Element {
    std::string memory;   // the allocation's name
    uint64_t offset = 0;  // bytes
    DType format = DType::f32;
    double got = 0, wide = 0;
    uint32_t born = kNoSite;     // whose own rounding most of the difference goes back to
    DType born_in = DType::f32;  // the format that it rounded to
    uint32_t parted = kNoSite;   // where the relative difference grew most, from `before` to `behind`;
                                 // kNoSite: nowhere more than 16 times what the rounding of its format is
    double before = 0, behind = 0;
};

struct Fp64Trace {
    int64_t blocks = 0;  // followed to their end, in the order in which they were asked for
    std::vector<Fp64Element> elements;
    std::vector<std::string> not_followed;  // mnemonics whose floating point results began anew
};

// Blocks one after the other, alone. Behind it, the elements in `memory` are those of FP64, rounded once to
// the format in which they were stored.
Fp64Trace trace_fp64(const WatchedLaunch& run, const Fp64Options& options);

}  // namespace wl::emulator
