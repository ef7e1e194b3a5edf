// Limits for |got - reference|, derived from the arithmetic that a value went through (docs/bounds.md has the
// derivations).
#pragma once

#include "instrumentation/base/dtype.h"

#include <cmath>

namespace wl::analysis {

// Unit roundoff of the FP32 accumulators in which every kernel of the lineage sums: 2^-24.
constexpr double kU32 = 0x1p-24;

// |fl(sum of n products) - sum| <= (n + extra) u * sum|products|, whatever the order of summation (Higham
// 2002, section 3.1, with the second-order term left out: n u < 2^-10 here). `extra` counts roundings before
// and after: scaling, a final store in FP32.
inline double sum_bound(double terms, double extra, double sum_of_absolutes) {
    return (terms + extra) * kU32 * sum_of_absolutes;
}

// Relative error of exp(x) in FP32 when computed as ex2.approx(x * log2 e): the product rounds once and log2
// e itself is rounded (2 u |x| in the exponent), x = a - b rounds once (u |x|), ex2.approx.f32 is within
// 2^-22 relative (PTX ISA 9.7.3.21), the result rounds (u). expf and __expf are both inside it (CUDA C++
// Programming Guide, section 17).
inline double exp_relative_bound(double x) { return 3 * kU32 * std::fabs(x) + 0x1p-22 + kU32; }

// exp(x) of an x known to within `dx`: relative error e^dx - 1, compounded with the evaluation's own.
inline double exp_bound(double x, double dx) { return std::expm1(dx + exp_relative_bound(x)); }

// A score that the mask removed must vanish in exp(s - m): in FP32 that holds for s - m <= -104, since e^-104
// < 2^-150, half the smallest subnormal. Kernels write -inf, -FLT_MAX or -1e30 alike.
constexpr double kVanishes = 104.0;

// What storing a value in a format adds: half an ulp, or half the smallest subnormal near zero.
struct StoreError {
    double relative = 0, absolute = 0;
};
inline StoreError store_error(DType t) { return {unit_roundoff(t), 0.5 * smallest_subnormal(t)}; }
inline double store_bound(const StoreError& e, double magnitude) {
    return e.relative * magnitude + e.absolute;
}
inline double store_bound(DType t, double magnitude) { return store_bound(store_error(t), magnitude); }

}  // namespace wl::analysis
