// The loops over elements behind a comparison: millions of elements a run, hence vector code.
#pragma once

#include "instrumentation/analysis/reference.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace wl::analysis {

// `values`: elements of dtype, one behind the other. Exact.
std::vector<double> widen(DType dtype, const std::vector<std::byte>& values);

struct ElementCounts {
    int64_t compared = 0, bad = 0, nan = 0, inf = 0;
    double max_difference = 0, max_excess = 0;                          // excess: |got - reference| / limit
    double low = std::numeric_limits<double>::infinity(), high = -low;  // of got, over finite elements
    size_t first_bad = 0;                                               // index, where bad > 0
};
ElementCounts count_values(const std::vector<double>& got);  // nan, inf, low and high only
ElementCounts count_elements(DType dtype, const std::vector<double>& got, const ReferenceTile& reference);

// Integers, of which every element must be equal, without a detour through double where the reference is of
// 64 bits too. Above 2^53 a reference in double does not know the last bits; they are not asked of it.
ElementCounts count_whole(DType dtype, const std::vector<std::byte>& values, const ReferenceTile& reference);

// To the limit of every finite reference value: what storing such a value in dtype adds.
void add_store_bounds(DType dtype, const std::vector<double>& reference, std::vector<float>& limits);

}  // namespace wl::analysis
