// Chances that are the same on every machine: standard distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace wl::fuzz {

using Random = std::mt19937_64;

inline size_t below(Random& random, size_t bound) { return bound == 0 ? 0 : random() % bound; }
inline bool chance(Random& random, unsigned percent) { return random() % 100 < percent; }

template <class Range>
auto& one_of(Random& random, Range& from) {
    return from[below(random, std::size(from))];
}

}  // namespace wl::fuzz
