// What the seed of a schedule stands for. 0: blocks begin in their order, warps take turns. A plain seed:
// blocks begin in a shuffled order and are interrupted by each other, warps run for short turns in a random
// order. A seed made by `delaying`: one warp comes last. All are legal on a GPU, and on one thread the same
// each time.
#pragma once

#include <cstdint>
#include <optional>

namespace wl::emulator {

constexpr uint64_t kDelaySeed = uint64_t{1} << 63;

struct Delayed {
    int64_t block = 0;
    int warp = 0;
};

// Everybody else goes first: the warp runs when no other of its block can, its block begins last.
constexpr uint64_t delaying(const Delayed& who) {
    return kDelaySeed | static_cast<uint64_t>(who.block) << 5 | static_cast<uint64_t>(who.warp);
}
constexpr std::optional<Delayed> delayed_by(uint64_t seed) {
    if ((seed & kDelaySeed) == 0) return {};
    return Delayed{static_cast<int64_t>((seed & ~kDelaySeed) >> 5), static_cast<int>(seed & 31)};
}

// SplitMix64 (Steele, Lea, Flood 2014).
constexpr uint64_t next_random(uint64_t& state) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

}  // namespace wl::emulator
