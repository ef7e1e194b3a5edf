// Sums without rounding: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates", 1997, 2.4: a sum is kept as values without common bits, to which another value is added.
#include "instrumentation/emulator/exec/memory/exact_sums.h"

#include <cmath>
#include <utility>

namespace wl::emulator {
namespace {

void add(std::vector<double>& parts, double x) {
    size_t kept = 0;
    for (const double part : parts) {
        double large = x, small = part;
        if (std::fabs(large) < std::fabs(small)) std::swap(large, small);
        const double sum = large + small, rest = small - (sum - large);
        if (rest != 0) parts[kept++] = rest;
        x = sum;
    }
    parts.resize(kept);
    parts.push_back(x);
}

// To nearest, ties to even: what lies below the first rounding decides a tie.
double rounded(const std::vector<double>& parts) {
    if (parts.empty()) return 0;
    size_t k = parts.size() - 1;
    double sum = parts[k], rest = 0;
    while (k > 0 && rest == 0) {
        const double before = sum, part = parts[--k];
        sum = before + part;
        rest = part - (sum - before);
    }
    const bool same_side = k > 0 && rest != 0 && (rest < 0) == (parts[k - 1] < 0);
    const double twice = 2 * rest, next = sum + twice;
    return same_side && twice == next - sum ? next : sum;
}

}  // namespace

void add_exactly(ExactSums& sums, std::byte* element, int64_t block, DType format, double term) {
    ExactSum& s = sums.at[element];
    const double held = to_double(format, element);
    if (s.parts.empty() || s.block != block || s.left != bits_of(format, element)) s.parts = {held};
    s.block = block;
    double sum = held + term;
    if (std::isfinite(held) && std::isfinite(term)) {
        add(s.parts, term);
        sum = rounded(s.parts);
    } else {
        s.parts.clear();
    }
    from_double(format, sum, element);
    s.left = bits_of(format, element);
}

}  // namespace wl::emulator
