// Other inputs for a problem of which a seed changes nothing, as its data come from files: what proves a
// change on data that it was not made for.
#pragma once

#include "instrumentation/manifest/manifest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

// Every byte that the kernel finds in its arguments and symbols is the same.
bool same_inputs(const manifest::Problem& a, const manifest::Problem& b);

// What becomes of real numbers: their order alone, or zeros, extremes and ties put in as well and, where
// there are both signs, some signs turned, no number positive, or none negative.
enum class Mix : uint8_t { order, turned, none_positive, none_negative };

// Arrays whose values are fixed, as those of files, drawn anew from what they hold. Constant real numbers
// become others around them. Whole numbers keep their range; rows without equal ones keep theirs each; what
// never falls or never rises, as a whole or row by row, keeps its first and last value and does so still
// (offsets of ragged rows). Different whole numbers that are too large to be places in an array are keys:
// they become others, the same ones wherever they stand. `which`: of fixed_arrays, a bit each. False: none of
// them is fixed.
constexpr uint64_t kAllArrays = ~uint64_t{0};
bool redraw(manifest::Problem& problem, uint64_t seed, Mix mix, uint64_t which = kAllArrays);

// Names of the arrays that it draws anew.
std::vector<std::string> fixed_arrays(const manifest::Problem& problem);

// Arrays of real numbers that are neither all whole nor sorted made much larger: with even seeds all
// elements, with odd ones some. False: there is none.
bool enlarge(manifest::Problem& problem, uint64_t seed);
inline bool enlarges_all(uint64_t seed) { return seed % 2 == 0; }

}  // namespace wl::diagnosis
