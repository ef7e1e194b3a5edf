// Bounds of the ISA, by opcode and format.
#include "tests/conformance/bounds.h"

#include "tests/conformance/enumerate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace wl::conformance {
namespace {

using ptx::Op;

double ulp32(double value) {
    return std::max(0x1p-149, std::exp2(std::floor(std::log2(std::fabs(value))) - 23));
}

// 9.7.3.18, 9.7.3.19: 2^-20.5 within a period, 2^-14.7 within a hundred, nothing beyond, where a sine is
// still a sine.
double sine_bound(double angle) {
    const double a = std::fabs(angle);
    return a <= std::numbers::pi      ? 0x1p-20 * std::numbers::sqrt2 / 2
        : a <= 100 * std::numbers::pi ? std::exp2(-14.7)
                                      : 1;
}

// 9.7.4.9, 9.7.4.10: tanh absolute, ex2 relative.
double half_bound(Op op, DType type, double value) {
    if (op == Op::tanh) return type == DType::f16 ? std::exp2(-10.987) : 0x1p-8;
    return std::fabs(value) * (type == DType::f16 ? std::exp2(-9.9) : 0x1p-7);
}

}  // namespace

bool has_bound(const ptx::Form& form) {
    return form.exactness == ptx::Exactness::bounded && is_arithmetic(form);
}

double isa_bound(Op op, DType type, std::span<const double> operands, double value) {
    const double size = std::fabs(value);
    if (type == DType::f16 || type == DType::bf16) return half_bound(op, type, value);
    if (type == DType::f64)
        return size * 0x1p-20;  // the ISA's of .approx.ftz; the plain form is as free here
    switch (op) {
        case Op::div: return 2 * ulp32(value);
        case Op::rcp: return ulp32(value);
        case Op::sqrt: return size * 0x1p-23;
        case Op::rsqrt: return size * std::exp2(-22.9);
        case Op::sin:
        case Op::cos: return sine_bound(operands[0]);
        case Op::lg2: return operands[0] > 0.5 && operands[0] < 2 ? 0x1p-22 : size * 0x1p-22;
        case Op::ex2: return (2 + std::exp2(-22.5)) * ulp32(value);
        case Op::tanh: return size * 0x1p-11;
        default: return std::numeric_limits<double>::infinity();
    }
}

bool agree(Op op, DType type, std::span<const double> operands, const Pair& pair) {
    if (pair.same_bits) return true;
    if (!std::isfinite(pair.gpu) || !std::isfinite(pair.emulator)) return false;
    if (pair.gpu == 0 && pair.emulator == 0) return false;
    return std::fabs(pair.gpu - pair.emulator) <= 2 * isa_bound(op, type, operands, pair.gpu);
}

}  // namespace wl::conformance
