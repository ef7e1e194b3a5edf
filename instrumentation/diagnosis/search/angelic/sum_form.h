// Expressions whose sum over many rows is a given one: of what is added up, as loops and blocks do.
#pragma once

#include "instrumentation/diagnosis/search/angelic/rows.h"

#include <string>
#include <vector>

namespace wl::diagnosis {

// Of each group of rows by how much more its sum would have to be, and how far off that may be.
struct SumWanted {
    std::vector<double> more, allowed;
};

constexpr size_t kEnoughSums = 3;  // groups; with fewer of them sums fit by chance

// The shortest first, `most` of them, in place of the rows' first text: of other operands, a term or a factor
// beside it, or only where a condition holds.
std::vector<std::string> summed(const Rows& rows, const SumWanted& wanted, size_t most);

}  // namespace wl::diagnosis
