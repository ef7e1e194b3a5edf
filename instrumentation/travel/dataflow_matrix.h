// What matrix instructions move and multiply, lane by lane. Internal to travel.
#pragma once

#include "instrumentation/travel/dataflow.h"

#include <vector>

namespace wl::travel {

// Elements from line to line of a wmma.load or wmma.store that names no stride.
uint64_t densest_stride(const ptx::Instruction& in);

std::vector<Transfer> fragment_transfers(const ptx::Instruction& in, const Executed& e, const Log& log);
std::vector<Transfer> matrix_transfers(const ptx::Instruction& in, const Executed& e, const Log& log);

// mma or wmma.mma, of dense matrices: d(m, n) is made of a's row m, b's column n and c(m, n).
bool is_product(const ptx::Instruction& in);
std::vector<LaneRegister> product_sources(const ptx::Instruction& in, const LaneRegister& destination);

}  // namespace wl::travel
