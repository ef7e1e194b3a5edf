// What the seed of a schedule stands for. 0: blocks begin in their order, warps take turns. A plain seed:
// blocks begin in a shuffled order and are interrupted by each other, warps run for short turns in a random
// order. A directed seed: of two accesses a given one comes first. All are legal on a GPU, and on one thread
// the same each time.
#pragma once

#include "instrumentation/emulator/contract.h"

#include <cstdint>
#include <optional>

namespace wl::emulator {

struct Program;

// Directed seeds are those from 2^62 up to 2^63.
constexpr bool is_directed(uint64_t seed) { return seed >> 62 == 1; }
constexpr bool is_random(uint64_t seed) { return seed != 0 && !is_directed(seed); }

// An access by one lane at one instruction.
struct AccessPoint {
    uint32_t site = 0;  // instruction index
    int64_t block = 0;  // linear
    int warp = 0;
    int lane = 0;
    bool operator==(const AccessPoint&) const = default;
};

// Two accesses of different lanes, and which comes first: the one of `then` waits, right before it, until the
// other was made, or cannot be. Of several executions of an instruction the first one counts; if both lie in
// one block, the first after so many of its barriers.
struct PairOrder {
    AccessPoint first, then;
    int epoch = 0;
    bool operator==(const PairOrder&) const = default;
};

// What a directed seed counts in: one of another kernel or launch means nothing.
struct ScheduleSpace {
    uint64_t sites = 0, blocks = 0, warps = 0;  // warps of a block
};
ScheduleSpace schedule_space(const Program& program, const Launch& launch);

// Nothing: the numbers are too large for a seed. Which lanes is kept for a pair in one warp only, the epoch
// not for a pair in two blocks.
std::optional<uint64_t> directed_seed(const PairOrder& order, const ScheduleSpace& space);
// Nothing: no directed seed, or not of this space.
std::optional<PairOrder> directed_by(uint64_t seed, const ScheduleSpace& space);

// SplitMix64 (Steele, Lea, Flood 2014).
constexpr uint64_t next_random(uint64_t& state) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

}  // namespace wl::emulator
