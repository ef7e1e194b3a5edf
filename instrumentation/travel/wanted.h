// What an instant of a block is looked for by.
#pragma once

#include "instrumentation/watch/watch.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wl::travel {

enum class NonFinite : uint8_t { none, nan, inf };
// Bytes by generic address: kSharedBase + offset for shared memory.
struct Bytes {
    uint64_t address = 0;
    uint32_t bytes = 0;
};

// Arrivals of one warp (-1: of any), in kernel time. Everything that is set must hold.
struct Wanted {
    int warp = 0;
    std::optional<uint64_t> time;  // at this time of the warp's clock, or the first instruction after it
    std::string file;              // end of the path; empty: any
    int line = 0;                  // 0: any; the warp comes to it from another line
    std::string stage;             // the warp's stage; empty: any
    std::string tile;              // the warp comes to a mark of this name; empty: any
    int iteration = -1;  // how often the warp came to that mark, or into the stage it is in, before; -1: any
    int barrier = -1;    // the warp comes to its block barrier of this number, from 0
    int epoch = -1;      // the warp has passed so many block barriers
    int64_t site = -1;   // it is about to execute this instruction
    uint32_t ptx_line = 0;   // or one at this line of the PTX
    bool fragments = false;  // it is about to execute an instruction that has_fragments, anywhere on the line
    Bytes written;           // it is about to write some of these bytes
    NonFinite makes =
        NonFinite::none;  // the instruction leaves NaN or Inf in a destination register of a lane
    std::optional<watch::Watch> when;  // true for at least one of its lanes
    int64_t hit = 0;  // how many such arrivals come before; negative: counted from the last, -1
    // Arrivals are counted from an instant instead: 0 is the first at or behind it, or the last before it,
    // whichever is asked for, or the other one where there is none. Not together with `makes`.
    enum class Side : uint8_t { none, behind, before } side = Side::none;
    uint64_t anchor = 0;  // emulator::Here::order
};

}  // namespace wl::travel
