// The table: floating point arithmetic in every width (PTX ISA 9.0, 9.7.3 to 9.7.5).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr Exactness kBounded = Exactness::bounded;
constexpr std::string_view kBlackwell = "sm_100 and later only: not executed";

// clang-format off
constexpr std::array kFloat = {
    Form{Op::testp, "testp", "f32|f64", "finite|infinite|number|notanumber|normal|subnormal", "d a", "9.7.3.1", kExact, "d = whether a is of the class.", "", "d:pred"},
    Form{Op::copysign, "copysign", "f32|f64", "", "d a b", "9.7.3.2", kExact, "d = b with the sign of a.", ""},
    Form{Op::add, "add", "f32", "rn|rz|rm|rp? ftz? sat?", "d a b", "9.7.3.3", kExact, "d = a + b, rounded once.", ""},
    Form{Op::add, "add", "f64", "rn|rz|rm|rp?", "d a b", "9.7.3.3", kExact, "d = a + b, rounded once.", ""},
    Form{Op::add, "add", "f32x2", "rn|rz|rm|rp? ftz?", "d a b", "9.7.3.3", kExact, "d = a + b of each single of the pair.", ""},
    Form{Op::sub, "sub", "f32", "rn|rz|rm|rp? ftz? sat?", "d a b", "9.7.3.4", kExact, "d = a - b, rounded once.", ""},
    Form{Op::sub, "sub", "f64", "rn|rz|rm|rp?", "d a b", "9.7.3.4", kExact, "d = a - b, rounded once.", ""},
    Form{Op::sub, "sub", "f32x2", "rn|rz|rm|rp? ftz?", "d a b", "9.7.3.4", kExact, "d = a - b of each single of the pair.", ""},
    Form{Op::mul, "mul", "f32", "rn|rz|rm|rp? ftz? sat?", "d a b", "9.7.3.5", kExact, "d = a * b, rounded once.", ""},
    Form{Op::mul, "mul", "f64", "rn|rz|rm|rp?", "d a b", "9.7.3.5", kExact, "d = a * b, rounded once.", ""},
    Form{Op::mul, "mul", "f32x2", "rn|rz|rm|rp? ftz?", "d a b", "9.7.3.5", kExact, "d = a * b of each single of the pair.", ""},
    Form{Op::fma, "fma", "f32", "rn|rz|rm|rp ftz? sat?", "d a b c", "9.7.3.6", kExact, "d = a * b + c, rounded once.", ""},
    Form{Op::fma, "fma", "f64", "rn|rz|rm|rp", "d a b c", "9.7.3.6", kExact, "d = a * b + c, rounded once.", ""},
    Form{Op::fma, "fma", "f32x2", "rn|rz|rm|rp ftz?", "d a b c", "9.7.3.6", kExact, "d = a * b + c of each single of the pair.", ""},
    Form{Op::mad, "mad", "f32", "rn|rz|rm|rp ftz? sat?", "d a b c", "9.7.3.7", kExact, "d = a * b + c, rounded once: the same as fma.", ""},
    Form{Op::mad, "mad", "f64", "rn|rz|rm|rp", "d a b c", "9.7.3.7", kExact, "d = a * b + c, rounded once: the same as fma.", ""},
    Form{Op::div, "div", "f32", "approx|full ftz?", "d a b", "9.7.3.8", kBounded, "d = a / b within 2 ulp; .approx is a times the reciprocal of b and gives 0 for |b| in [2^126, 2^128].", "the last bits of the hardware's reciprocal"},
    Form{Op::div, "div", "f32", "rn|rz|rm|rp ftz?", "d a b", "9.7.3.8", kExact, "d = a / b, rounded once.", ""},
    Form{Op::div, "div", "f64", "rn|rz|rm|rp", "d a b", "9.7.3.8", kExact, "d = a / b, rounded once.", ""},
    Form{Op::abs, "abs", "f32", "ftz?", "d a", "9.7.3.9", kExact, "d = |a|.", ""},
    Form{Op::abs, "abs", "f64", "", "d a", "9.7.3.9", kExact, "d = |a|.", ""},
    Form{Op::neg, "neg", "f32", "ftz?", "d a", "9.7.3.10", kExact, "d = -a.", ""},
    Form{Op::neg, "neg", "f64", "", "d a", "9.7.3.10", kExact, "d = -a.", ""},
    Form{Op::min, "min", "f32", "ftz? NaN? xorsign.abs?", "d a b", "9.7.3.11", kExact, "d = the smaller of a and b, -0 below +0; a NaN loses, or wins with .NaN; .xorsign.abs compares magnitudes and signs the result by the xor of the signs.", ""},
    Form{Op::min, "min", "f32", "ftz? NaN? abs?", "d a b c", "9.7.3.11", kExact, "d = the smallest of a, b and c.", kBlackwell},
    Form{Op::min, "min", "f64", "", "d a b", "9.7.3.11", kExact, "d = the smaller of a and b; a NaN loses.", ""},
    Form{Op::max, "max", "f32", "ftz? NaN? xorsign.abs?", "d a b", "9.7.3.12", kExact, "d = the larger of a and b, +0 above -0; a NaN loses, or wins with .NaN; .xorsign.abs compares magnitudes and signs the result by the xor of the signs.", ""},
    Form{Op::max, "max", "f32", "ftz? NaN? abs?", "d a b c", "9.7.3.12", kExact, "d = the largest of a, b and c.", kBlackwell},
    Form{Op::max, "max", "f64", "", "d a b", "9.7.3.12", kExact, "d = the larger of a and b; a NaN loses.", ""},
    Form{Op::rcp, "rcp", "f32", "approx ftz?", "d a", "9.7.3.13", kBounded, "d = 1 / a within 1 ulp.", "the last bit of the hardware's table"},
    Form{Op::rcp, "rcp", "f32", "rn|rz|rm|rp ftz?", "d a", "9.7.3.13", kExact, "d = 1 / a, rounded once.", ""},
    Form{Op::rcp, "rcp", "f64", "rn|rz|rm|rp", "d a", "9.7.3.13", kExact, "d = 1 / a, rounded once.", ""},
    Form{Op::rcp, "rcp", "f64", "approx ftz", "d a", "9.7.3.14", kBounded, "d = 1 / a of the upper 32 bits of a, in the upper 32 bits of d, within 2^-20 of the value.", "the last bits of the hardware's table"},
    Form{Op::sqrt, "sqrt", "f32", "approx ftz?", "d a", "9.7.3.15", kBounded, "d = the square root of a within 2^-23 of the value.", "the last bit of the hardware's table"},
    Form{Op::sqrt, "sqrt", "f32", "rn|rz|rm|rp ftz?", "d a", "9.7.3.15", kExact, "d = the square root of a, rounded once.", ""},
    Form{Op::sqrt, "sqrt", "f64", "rn|rz|rm|rp", "d a", "9.7.3.15", kExact, "d = the square root of a, rounded once.", ""},
    Form{Op::rsqrt, "rsqrt", "f32", "approx ftz?", "d a", "9.7.3.16", kBounded, "d = 1 / the square root of a within 2^-22.9 of the value.", "the last bits of the hardware's table"},
    Form{Op::rsqrt, "rsqrt", "f64", "approx ftz?", "d a", "9.7.3.16 9.7.3.17", kBounded, "d = 1 / the square root of a; with .ftz of and into the upper 32 bits only.", "the last bits of the hardware's table"},
    Form{Op::sin, "sin", "f32", "approx ftz?", "d a", "9.7.3.18", kBounded, "d = the sine of a, within 2^-20.5 on [-pi, pi].", "the hardware's range reduction and table"},
    Form{Op::cos, "cos", "f32", "approx ftz?", "d a", "9.7.3.19", kBounded, "d = the cosine of a, within 2^-20.5 on [-pi, pi].", "the hardware's range reduction and table"},
    Form{Op::lg2, "lg2", "f32", "approx ftz?", "d a", "9.7.3.20", kBounded, "d = the logarithm of a to the base 2, within 2^-22 for mantissas.", "the last bits of the hardware's table"},
    Form{Op::ex2, "ex2", "f32", "approx ftz?", "d a", "9.7.3.21", kBounded, "d = 2 to the power a, within 2 + 2^-22.5 ulp.", "the last bits of the hardware's table"},
    Form{Op::tanh, "tanh", "f32", "approx", "d a", "9.7.3.22", kBounded, "d = the hyperbolic tangent of a, within 2^-11 of the value.", "the hardware's table"},
};

constexpr std::array kHalf = {
    Form{Op::add, "add", "f16|f16x2", "rn? ftz? sat?", "d a b", "9.7.4.1", kExact, "d = a + b, rounded once, each half of a pair by itself.", "", "halves"},
    Form{Op::add, "add", "bf16|bf16x2", "rn?", "d a b", "9.7.4.1", kExact, "d = a + b, rounded once; subnormals stay.", "", "halves"},
    Form{Op::sub, "sub", "f16|f16x2", "rn? ftz? sat?", "d a b", "9.7.4.2", kExact, "d = a - b, rounded once, each half of a pair by itself.", "", "halves"},
    Form{Op::sub, "sub", "bf16|bf16x2", "rn?", "d a b", "9.7.4.2", kExact, "d = a - b, rounded once; subnormals stay.", "", "halves"},
    Form{Op::mul, "mul", "f16|f16x2", "rn? ftz? sat?", "d a b", "9.7.4.3", kExact, "d = a * b, rounded once, each half of a pair by itself.", "", "halves"},
    Form{Op::mul, "mul", "bf16|bf16x2", "rn?", "d a b", "9.7.4.3", kExact, "d = a * b, rounded once; subnormals stay.", "", "halves"},
    Form{Op::fma, "fma", "f16|f16x2", "rn ftz? sat|relu?", "d a b c", "9.7.4.4", kExact, "d = a * b + c, rounded once; .relu sets what is negative or NaN to +0 or the canonical NaN.", "", "halves"},
    Form{Op::fma, "fma", "bf16|bf16x2", "rn relu?", "d a b c", "9.7.4.4", kExact, "d = a * b + c, rounded once; subnormals stay.", "", "halves"},
    Form{Op::fma, "fma", "f16|f16x2|bf16|bf16x2", "rn oob relu?", "d a b c", "9.7.4.4", kExact, "d = a * b + c, or 0 when a or b is 0x7ff7 or 0xfff7, the NaN that a tensor copy writes for elements out of bounds.", "", "halves"},
    Form{Op::neg, "neg", "f16|f16x2", "ftz?", "d a", "9.7.4.5", kExact, "d = -a, each half of a pair by itself.", "", "halves"},
    Form{Op::neg, "neg", "bf16|bf16x2", "", "d a", "9.7.4.5", kExact, "d = -a, each half of a pair by itself.", "", "halves"},
    Form{Op::abs, "abs", "f16|f16x2", "ftz?", "d a", "9.7.4.6", kExact, "d = |a|, each half of a pair by itself.", "", "halves"},
    Form{Op::abs, "abs", "bf16|bf16x2", "", "d a", "9.7.4.6", kExact, "d = |a|, each half of a pair by itself.", "", "halves"},
    Form{Op::min, "min", "f16|f16x2", "ftz? NaN? xorsign.abs?", "d a b", "9.7.4.7", kExact, "d = the smaller of a and b; NaN and signs as for f32.", "", "halves"},
    Form{Op::min, "min", "bf16|bf16x2", "NaN? xorsign.abs?", "d a b", "9.7.4.7", kExact, "d = the smaller of a and b; NaN and signs as for f32.", "", "halves"},
    Form{Op::max, "max", "f16|f16x2", "ftz? NaN? xorsign.abs?", "d a b", "9.7.4.8", kExact, "d = the larger of a and b; NaN and signs as for f32.", "", "halves"},
    Form{Op::max, "max", "bf16|bf16x2", "NaN? xorsign.abs?", "d a b", "9.7.4.8", kExact, "d = the larger of a and b; NaN and signs as for f32.", "", "halves"},
    Form{Op::tanh, "tanh", "f16|f16x2|bf16|bf16x2", "approx", "d a", "9.7.4.9", kBounded, "d = the hyperbolic tangent of a; f16 within 2^-10.987, bf16 within 2^-8.", "the hardware's table"},
    Form{Op::ex2, "ex2", "f16|f16x2", "approx", "d a", "9.7.4.10", kBounded, "d = 2 to the power a, within 2^-9.9 of the value.", "the hardware's table"},
    Form{Op::ex2, "ex2", "bf16|bf16x2", "approx ftz", "d a", "9.7.4.10", kBounded, "d = 2 to the power a, within 2^-7 of the value.", "the hardware's table"},
};

constexpr std::array kMixed = {
    Form{Op::add, "add", "f32 f16|bf16", "rn|rz|rm|rp? sat?", "d a c", "9.7.5.1", kExact, "d = a widened to f32, plus c.", kBlackwell, "d:t1 c:t1"},
    Form{Op::sub, "sub", "f32 f16|bf16", "rn|rz|rm|rp? sat?", "d a c", "9.7.5.2", kExact, "d = a widened to f32, minus c.", kBlackwell, "d:t1 c:t1"},
    Form{Op::fma, "fma", "f32 f16|bf16", "rn|rz|rm|rp sat?", "d a b c", "9.7.5.3", kExact, "d = a * b of widened operands, plus c, rounded once.", kBlackwell, "d:t1 c:t1"},
};
// clang-format on

}  // namespace

const std::array<Family, 3> kFloatFamilies = {
    {{"Floating point", kFloat}, {"Half precision", kHalf}, {"Mixed precision", kMixed}}
};

}  // namespace wl::ptx
