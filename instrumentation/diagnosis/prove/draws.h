// Other draws of the inputs, on which what is called proven comes right as well.
#pragma once

#include "instrumentation/diagnosis/prove/prover.h"

#include <cstdint>
#include <vector>

namespace wl::diagnosis {

constexpr size_t kDraws = 6;  // besides the problem's own

// Distances from the problem's seed, from `first` on; the kernel finds other bytes with each than with the
// problem's own seed and the others. `trial`: warp instructions of one. Fewer than kDraws where arrays or
// trials are long; `first` alone, whatever it draws, where no others can be made.
const std::vector<uint64_t>& draws_of(Prover& prover, uint64_t first, double trial);

// Of fixed_arrays, a bit each, those that the reference is not made of, though the kernel is given them: a
// tree over points, rows in another order, the inverse of a table. They are made of other inputs, and drawn
// by themselves they do not belong to these. Nothing where seeds draw other data.
uint64_t derived_arrays(Prover& prover);

}  // namespace wl::diagnosis
