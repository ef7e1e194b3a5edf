// Limits for |got - reference|, derived from the arithmetic that a value went through (docs/bounds.md has the
// derivations).
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/capture/capture.h"

#include <algorithm>
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

// ---- roundings that are independent and of mean zero: Higham and Mary 2019, "A new approach to
// probabilistic rounding error analysis". A sum of n products errs by more than gamma~_n sum|products| with a
// chance of at most 2 n exp(-lambda^2 (1 - u)^2 / 2).

// The lambda by which the chance that any of so many roundings counts is at most capture::kFailure.
inline double probable_lambda(double roundings) {
    return std::sqrt(2 * std::log(2 * std::max(roundings, 1.0) / capture::kFailure)) / (1 - kU32);
}
inline double probable_gamma(double terms, double lambda) {
    return std::expm1(lambda * std::sqrt(terms) * kU32 + terms * kU32 * kU32 / (1 - kU32));
}
// As sum_bound, which it never exceeds: few terms have no room for chance.
inline double probable_sum_bound(double terms, double extra, double sum_of_absolutes, double lambda) {
    const double gamma = probable_gamma(terms, lambda) + extra * kU32;
    return std::min(gamma, (terms + extra) * kU32) * sum_of_absolutes;
}

// A sum whose number of terms nobody gave may have this many: beyond an estimate from one term, and within
// this, lies what is neither right nor wrong.
constexpr double kDoubtfulTerms = 4096;

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
