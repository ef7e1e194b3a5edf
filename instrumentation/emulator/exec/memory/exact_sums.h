// Atomic sums of floating point values as sums of real numbers (RunOptions::exact_sums): of each place the
// exact sum of what was added to it, of which memory holds the rounded value. A store between two sums begins
// anew with what it left. Where a term or what memory holds is no number, it is added as it is otherwise.
#pragma once

#include "instrumentation/base/dtype.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace wl::emulator {

struct ExactSum {
    std::vector<double> parts;  // by rising size, without common bits: their sum is exact
    uint64_t left = 0;          // bits that memory was left with
    int64_t block = -1;         // whose shared memory it is; -1: global memory
};

struct ExactSums {
    std::unordered_map<const std::byte*, ExactSum> at;
};

// Adds to the element in memory.
void add_exactly(ExactSums& sums, std::byte* element, int64_t block, DType format, double term);

}  // namespace wl::emulator
