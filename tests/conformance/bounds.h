// How far a result of an approximate instruction may lie from the exact value.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/ptx/table/opcodes.h"

#include <span>

namespace wl::conformance {

// Whether results of this row are compared within isa_bound. All others are compared bit for bit, the matrix
// products too: they follow the sums measured in docs/measured/README.md.
bool has_bound(const ptx::Form& form);

// The largest absolute error that PTX ISA 9.7.3 and 9.7.4 allow an approximate instruction with these
// operands and the result `value` in format `type`; infinite where the ISA states none.
double isa_bound(ptx::Op op, DType type, std::span<const double> operands, double value);

// The GPU and the emulator each lie within isa_bound of the exact value, hence within twice that of each
// other. What is not finite, and the sign of zero, must be the same.
struct Pair {
    double gpu = 0, emulator = 0;
    bool same_bits = false;
};
bool agree(ptx::Op op, DType type, std::span<const double> operands, const Pair& pair);

}  // namespace wl::conformance
