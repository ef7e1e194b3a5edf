// What lowering matrix products and matrix moves have in common.
#pragma once

#include "instrumentation/base/fragment_layout.h"
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Slots of the registers of operand k; false: not as many as the fragment has.
bool take_slots(
    Lowering& l, size_t k, const FragmentLayout& layout, bool written, std::vector<uint32_t>& slots
);
Selected with_plan(Lowering& l, MatrixPlan plan, Exec exec);

Selected lower_product(Lowering& l);
Selected lower_warpgroup(Lowering& l);

}  // namespace wl::emulator
