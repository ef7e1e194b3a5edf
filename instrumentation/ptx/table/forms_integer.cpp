// The table: integer arithmetic and extended precision (PTX ISA 9.0, 9.7.1 and 9.7.2).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;

// clang-format off
constexpr std::array kInteger = {
    Form{Op::add, "add", "u16|u32|u64|s16|s64|u16x2|s16x2", "", "d a b", "9.7.1.1", kExact, "d = a + b, wrapping at the width; each half of a packed pair by itself.", "", "carry"},
    Form{Op::add, "add", "s32", "sat?", "d a b", "9.7.1.1", kExact, "d = a + b, wrapping, or clamped to the s32 range with .sat.", "", "carry"},
    Form{Op::sub, "sub", "u16|u32|u64|s16|s64", "", "d a b", "9.7.1.2", kExact, "d = a - b, wrapping at the width.", "", "carry"},
    Form{Op::sub, "sub", "s32", "sat?", "d a b", "9.7.1.2", kExact, "d = a - b, wrapping, or clamped to the s32 range with .sat.", "", "carry"},
    Form{Op::mul, "mul", "u16|u32|u64|s16|s32|s64", "hi|lo", "d a b", "9.7.1.3", kExact, "d = the upper or lower half of the double-width product a * b.", "", "carry"},
    Form{Op::mul, "mul", "u16|u32|s16|s32", "wide", "d a b", "9.7.1.3", kExact, "d = the whole product a * b, twice as wide as the operands.", "", "d:2t"},
    Form{Op::mad, "mad", "u16|u32|u64|s16|s32|s64", "hi|lo", "d a b c", "9.7.1.4", kExact, "d = half of the product a * b, plus c, wrapping.", "", "carry"},
    Form{Op::mad, "mad", "u16|u32|s16|s32", "wide", "d a b c", "9.7.1.4", kExact, "d = the double-width product a * b plus the double-width c, wrapping.", "", "d:2t c:2t"},
    Form{Op::mad, "mad", "s32", "hi sat", "d a b c", "9.7.1.4", kExact, "d = the upper half of a * b plus c, clamped to the s32 range.", "", "carry"},
    Form{Op::mul24, "mul24", "u32|s32", "hi|lo", "d a b", "9.7.1.5", kExact, "d = the upper or lower 32 bits of the 48-bit product of the 24 low bits of a and b.", ""},
    Form{Op::mad24, "mad24", "u32|s32", "hi|lo", "d a b c", "9.7.1.6", kExact, "d = 32 bits of the 48-bit product of the 24 low bits of a and b, plus c.", ""},
    Form{Op::mad24, "mad24", "s32", "hi sat", "d a b c", "9.7.1.6", kExact, "d = the upper 32 bits of the 48-bit product plus c, clamped to the s32 range.", ""},
    Form{Op::sad, "sad", "u16|u32|u64|s16|s32|s64", "", "d a b c", "9.7.1.7", kExact, "d = c + |a - b|.", ""},
    Form{Op::div, "div", "u16|u32|u64|s16|s32|s64", "", "d a b", "9.7.1.8", kExact, "d = a / b, truncated towards zero; a division by zero gives what the ISA leaves open.", "division by zero: all ones, as the hardware does for unsigned operands"},
    Form{Op::rem, "rem", "u16|u32|u64|s16|s32|s64", "", "d a b", "9.7.1.9", kExact, "d = a - (a / b) * b, with the sign of a.", "division by zero: all ones, as the hardware does"},
    Form{Op::abs, "abs", "s16|s32|s64", "", "d a", "9.7.1.10", kExact, "d = |a|; the least value stays itself.", ""},
    Form{Op::neg, "neg", "s16|s32|s64", "", "d a", "9.7.1.11", kExact, "d = -a, wrapping.", ""},
    Form{Op::min, "min", "u16|u32|u64|u16x2|s16|s64", "", "d a b", "9.7.1.12", kExact, "d = the smaller of a and b; each half of a packed pair by itself.", "", "halves"},
    Form{Op::min, "min", "s16x2|s32", "relu?", "d a b", "9.7.1.12", kExact, "d = the smaller of a and b, with .relu no less than zero.", "", "halves"},
    Form{Op::max, "max", "u16|u32|u64|u16x2|s16|s64", "", "d a b", "9.7.1.13", kExact, "d = the larger of a and b; each half of a packed pair by itself.", "", "halves"},
    Form{Op::max, "max", "s16x2|s32", "relu?", "d a b", "9.7.1.13", kExact, "d = the larger of a and b, with .relu no less than zero.", "", "halves"},
    Form{Op::popc, "popc", "b32|b64", "", "d a", "9.7.1.14", kExact, "d = how many bits of a are set, as a 32-bit number.", "", "d:32"},
    Form{Op::clz, "clz", "b32|b64", "", "d a", "9.7.1.15", kExact, "d = how many zero bits lead a, as a 32-bit number.", "", "d:32"},
    Form{Op::bfind, "bfind", "u32|u64|s32|s64", "shiftamt?", "d a", "9.7.1.16", kExact, "d = the place of the highest bit that differs from the sign (of an unsigned a: that is set), or its distance from the top with .shiftamt; all ones when there is none.", "", "d:32"},
    Form{Op::fns, "fns", "b32", "", "d mask base offset", "9.7.1.17", kExact, "d = the place of the offset-th set bit of mask counted from base, or all ones.", ""},
    Form{Op::brev, "brev", "b32|b64", "", "d a", "9.7.1.18", kExact, "d = the bits of a in reverse order.", ""},
    Form{Op::bfe, "bfe", "u32|u64|s32|s64", "", "d a b c", "9.7.1.19", kExact, "d = the field of a that starts at bit b and has c bits, zero- or sign-extended; b and c are bytes.", "", "field b:32 c:32"},
    Form{Op::bfi, "bfi", "b32|b64", "", "d a b c e", "9.7.1.20", kExact, "d = b with the low bits of a put in at bit c, e bits long; c and e are bytes.", "", "insert c:32 e:32"},
    Form{Op::szext, "szext", "u32|s32", "clamp|wrap", "d a b", "9.7.1.21", kExact, "d = the low b bits of a, sign- or zero-extended; b clamped to 32 or taken modulo 32.", "", "b:32"},
    Form{Op::bmsk, "bmsk", "b32", "clamp|wrap", "d a b", "9.7.1.22", kExact, "d = a mask of b ones from bit a on; both clamped to 32 or taken modulo 32.", ""},
    Form{Op::dp4a, "dp4a", "u32|s32 u32|s32", "", "d a b c", "9.7.1.23", kExact, "d = c + the dot product of the four bytes of a and b.", ""},
    Form{Op::dp2a, "dp2a", "u32|s32 u32|s32", "lo|hi", "d a b c", "9.7.1.24", kExact, "d = c + the dot product of the two halves of a and two bytes of b, its lower or upper ones.", ""},
};

constexpr std::array kExtended = {
    Form{Op::add, "add", "u32|s32|u64|s64", "cc", "d a b", "9.7.2.1", kExact, "d = a + b, and the carry flag = the carry out.", ""},
    Form{Op::addc, "addc", "u32|s32|u64|s64", "cc?", "d a b", "9.7.2.2", kExact, "d = a + b + the carry flag, which .cc sets again.", ""},
    Form{Op::sub, "sub", "u32|s32|u64|s64", "cc", "d a b", "9.7.2.3", kExact, "d = a - b, and the carry flag = the borrow out.", ""},
    Form{Op::subc, "subc", "u32|s32|u64|s64", "cc?", "d a b", "9.7.2.4", kExact, "d = a - (b + the borrow flag), which .cc sets again.", ""},
    Form{Op::mad, "mad", "u32|s32|u64|s64", "hi|lo cc", "d a b c", "9.7.2.5", kExact, "d = half of the product a * b, plus c, and the carry flag = the carry out.", ""},
    Form{Op::madc, "madc", "u32|s32|u64|s64", "hi|lo cc?", "d a b c", "9.7.2.6", kExact, "d = half of the product a * b, plus c, plus the carry flag, which .cc sets again.", ""},
};
// clang-format on

}  // namespace

const std::array<Family, 2> kIntegerFamilies = {
    {{"Integer arithmetic", kInteger}, {"Extended precision", kExtended}}
};

}  // namespace wl::ptx
