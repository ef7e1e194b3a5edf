// Models every scalar cvt one lane at a time: integers by way of 65-bit values, floats by way of double,
// rounded once. Not modelled: .rs rounding, formats of 4 and 6 bits.
#include "instrumentation/base/dtype.h"
#include "instrumentation/emulator/exec/values/convert.h"
#include "instrumentation/emulator/exec/values/float32.h"
#include "instrumentation/emulator/exec/values/half.h"
#include "instrumentation/emulator/exec/values/wide.h"
#include "instrumentation/emulator/machine/simd.h"

#include <algorithm>
#include <cmath>

namespace wl::emulator {
namespace {

using ptx::Rounding;
using ptx::Type;

unsigned width(Type t) { return 8 * ptx::bytes_of(t); }
uint64_t low_bits(uint64_t x, unsigned n) { return n >= 64 ? x : x & ((uint64_t{1} << n) - 1); }

Int128 integer_value(Type t, uint64_t bits) {
    const unsigned n = width(t);
    if (!is_signed(t)) return static_cast<Int128>(low_bits(bits, n));
    return static_cast<int64_t>(bits << (64 - n)) >> (64 - n);
}
uint64_t integer_result(const Conversion& c, Int128 value) {
    const unsigned n = width(c.to);
    const Int128 least = is_signed(c.to) ? -(Int128{1} << (n - 1)) : 0;
    const Int128 most = is_signed(c.to) ? (Int128{1} << (n - 1)) - 1 : (Int128{1} << n) - 1;
    if (c.sat) value = std::clamp(value, least, most);
    const uint64_t bits = low_bits(static_cast<uint64_t>(value), n);
    return is_signed(c.to) ? static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - n)) >> (64 - n)) : bits;
}

double byte_value(DType format, uint64_t bits) {
    const auto byte = static_cast<uint8_t>(bits);
    return to_double(format, &byte);
}
// The largest finite value of a 16-bit format, which .satfinite clamps to.
double largest(Type t) { return t == Type::f16 ? 65504 : 0x1.fep127; }

double float_value(const Conversion& c, uint64_t bits) {
    switch (c.from) {
        case Type::f16: return half_to_float(static_cast<uint16_t>(bits));
        case Type::bf16: return brain_value(static_cast<uint16_t>(bits));
        case Type::f32: {
            const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
            // The hardware does not flush what it converts to f16 (measured), and its flush makes NaN
            // canonical.
            return c.ftz && c.to != Type::f16 ? canonical(flush<true>(x)) : x;
        }
        case Type::e4m3: return byte_value(DType::e4m3, bits);
        case Type::e5m2: return byte_value(DType::e5m2, bits);
        default: return std::bit_cast<double>(bits);
    }
}

double round_integral(Rounding r, double x) {
    switch (r) {
        case Rounding::rzi:
        case Rounding::rz: return std::trunc(x);
        case Rounding::rmi:
        case Rounding::rm: return std::floor(x);
        case Rounding::rpi:
        case Rounding::rp: return std::ceil(x);
        default: return std::nearbyint(x);
    }
}

// ISA 9.7.9.21: NaN gives 0, or the value with only the top bit when a 64-bit type takes part; else the range
// clamps.
uint64_t float_to_integer(const Conversion& c, double x) {
    const unsigned n = width(c.to);
    if (x != x) {
        if (c.from != Type::f64 && n != 64) return 0;
        const uint64_t top = uint64_t{1} << (n - 1);
        return is_signed(c.to) ? ~(top - 1) : top;
    }
    const double whole = round_integral(c.rounding, x);
    const double top = std::ldexp(1.0, static_cast<int>(is_signed(c.to) ? n - 1 : n));
    const double bottom = is_signed(c.to) ? -top : 0;
    Conversion clamped = c;
    clamped.sat = true;
    if (whole >= top) return integer_result(clamped, static_cast<Int128>(1) << 100);
    if (whole < bottom) return integer_result(clamped, -(static_cast<Int128>(1) << 100));
    return integer_result(clamped, static_cast<Int128>(whole));
}

// Rounds an exact integer or double to a narrower double: to odd, so that the last rounding decides alone.
float to_odd(double x) {
    const float f = static_cast<float>(x);
    const double error = x - static_cast<double>(f);
    const uint32_t bits = std::bit_cast<uint32_t>(f);
    if (!(error != 0) || (bits & 1) != 0 || std::isinf(x)) return f;
    if (std::isinf(f)) return std::bit_cast<float>(bits - 1);
    const bool away = (error > 0) == (x > 0);
    return std::bit_cast<float>(away ? bits + 1 : bits - 1);
}
template <class T>
T directed(Rounding r, T nearest, double error) {
    if (error == 0) return nearest;
    const bool down =
        r == Rounding::rm || (r == Rounding::rz && (nearest > 0 || (nearest == 0 && error > 0)));
    const bool up = r == Rounding::rp || (r == Rounding::rz && (nearest < 0 || (nearest == 0 && error < 0)));
    if (down && error < 0) return std::nextafter(nearest, -INFINITY);
    if (up && error > 0) return std::nextafter(nearest, static_cast<T>(INFINITY));
    return nearest;
}
int host_rounding(Rounding r) {
    switch (r) {
        case Rounding::rm: return 1;
        case Rounding::rp: return 2;
        case Rounding::rz: return 3;
        default: return 0;
    }
}
uint16_t to_half(Rounding r, float x) {
    switch (host_rounding(r)) {
        case 1: return float_to_half<1>(x);
        case 2: return float_to_half<2>(x);
        case 3: return float_to_half<3>(x);
        default: return float_to_half<0>(x);
    }
}
uint16_t to_brain(Rounding r, float x) {
    switch (host_rounding(r)) {
        case 1: return float_to_brain<1>(x);
        case 2: return float_to_brain<2>(x);
        case 3: return float_to_brain<3>(x);
        default: return float_to_brain<0>(x);
    }
}
bool rounds_to_integral(Rounding r) {
    return r == Rounding::rni || r == Rounding::rzi || r == Rounding::rmi || r == Rounding::rpi;
}

// What is left of a NaN of double precision: its sign, quiet, and the top of its payload (measured).
uint64_t narrowed_nan(Type to, double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x) | uint64_t{1} << 51;
    const auto sign = static_cast<uint32_t>(bits >> 63);
    const auto top = [=](int n) { return static_cast<uint32_t>((bits & 0xfffffffffffff) >> (52 - n)); };
    if (to == Type::f16) return sign << 15 | 0x7c00 | top(10);
    if (to == Type::bf16) return sign << 15 | 0x7f80 | top(7);
    return sign << 31 | 0x7f800000 | top(23);
}
// The neighbour of x towards its tail if there is one and x is even: later roundings then see that it is
// inexact.
double tail_to_odd(double x, double tail) {
    if (tail == 0 || (std::bit_cast<uint64_t>(x) & 1) != 0) return x;
    return std::nextafter(x, std::copysign(INFINITY, tail));
}

// The 8-bit formats always saturate, and have one NaN.
uint64_t byte_of(DType format, double x) {
    uint8_t byte = 0x7f;
    if (x == x) from_double(format, x, &byte);
    return byte;
}

// x plus `tail` (what an integer source has beyond double precision) in the destination's format.
uint64_t float_result(const Conversion& c, double x, double tail) {
    if (rounds_to_integral(c.rounding)) x = round_integral(c.rounding, x);
    if (c.sat) x = saturate(x), tail = 0;                               // whole numbers are 0 or 1 then
    if (c.relu && x <= 0) x = 0;                                        // -0 too
    if (c.satfinite) x = std::clamp(x, -largest(c.to), largest(c.to));  // NaN stays
    if (x != x && c.from == Type::f64 && c.to != Type::f64) return narrowed_nan(c.to, x);
    switch (c.to) {
        case Type::f64: return std::bit_cast<uint64_t>(directed(c.rounding, x, tail));
        case Type::f32: {
            float f = static_cast<float>(x);
            if (std::isfinite(x)) {
                // What overflowed to infinity lies below it in magnitude.
                const double error =
                    std::isinf(f) ? -std::copysign(1.0, x) : x - static_cast<double>(f) + tail;
                f = directed(c.rounding, f, error);
            }
            f = c.ftz ? flush<true>(f) : f;
            return std::bit_cast<uint32_t>(canonical(f));
        }
        case Type::f16: return to_half(c.rounding, to_odd(tail_to_odd(x, tail)));
        case Type::bf16: return to_brain(c.rounding, to_odd(tail_to_odd(x, tail)));
        case Type::e4m3: return byte_of(DType::e4m3, x);
        case Type::e5m2: return byte_of(DType::e5m2, x);
        default: return 0;
    }
}

// Single precision cut to 19 bits. On an H200, .rna neither makes a NaN canonical nor keeps one whose payload
// is cut, and with .satfinite it steps down from whatever has the exponent of infinity.
uint32_t to_tf32(const Conversion& c, uint32_t bits) {
    constexpr uint32_t kExponent = 0x7f800000, kKept = ~0x1fffu, kStep = 0x2000;
    const bool finite = (bits & kExponent) != kExponent, nan = (bits & ~0x80000000u) > kExponent;
    if (c.rounding == Rounding::rna) {
        const uint32_t rounded = (bits + (finite ? kStep / 2 : 0)) & kKept;
        return c.satfinite && (rounded & kExponent) == kExponent ? rounded - kStep : rounded;
    }
    if (nan) return 0x7fffe000;
    if (c.relu && bits >> 31 != 0) return 0;
    const uint32_t half = c.rounding == Rounding::rz ? 0 : kStep / 2 - 1 + (bits >> 13 & 1);
    return (bits + (finite ? half : 0)) & kKept;
}

}  // namespace

uint64_t convert_one(const Conversion& c, uint64_t bits) {
    if (c.to == Type::tf32) return to_tf32(c, static_cast<uint32_t>(bits));
    if (is_integer(c.from)) {
        const Int128 value = integer_value(c.from, bits);
        if (is_integer(c.to)) return integer_result(c, value);
        const double x = static_cast<double>(value);
        return float_result(c, x, static_cast<double>(value - static_cast<Int128>(x)));
    }
    const double x = float_value(c, bits);
    return is_integer(c.to) ? float_to_integer(c, x) : float_result(c, x, 0);
}

namespace {

uint64_t read_cell(Warp& w, uint32_t slot, bool wide, int lane) {
    return wide ? cells<uint64_t>(w, slot)[lane] : cells<uint32_t>(w, slot)[lane];
}

const Instr* convert_lanes(Warp& w, const Instr* i) {
    const Conversion c = std::bit_cast<Conversion>(i->offset);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const uint64_t value = convert_one(c, read_cell(w, i->r[1], c.wide_from, lane));
        if (c.wide_to)
            cells<uint64_t>(w, i->r[0])[lane] = value;
        else
            cells<uint32_t>(w, i->r[0])[lane] = static_cast<uint32_t>(value);
    }
    return i + 1;
}

bool is_scalar_float(Type t) { return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64; }

}  // namespace

bool is_integer(Type t) {
    return (t >= Type::u8 && t <= Type::u64) || (t >= Type::s8 && t <= Type::s64) ||
        (t >= Type::b8 && t <= Type::b64);
}
bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }

Conversion conversion_of(const ptx::Instruction& in) {
    Conversion c;
    c.to = in.types[0];
    c.from = in.types[1];
    c.rounding = in.modifiers.rounding;
    c.sat = in.modifiers.sat;
    c.ftz = in.modifiers.ftz;
    c.relu = in.modifiers.relu;
    c.satfinite = in.modifiers.satfinite;
    return c;
}

Selected lower_any_conversion(Lowering& l) {
    const auto& in = *l.in;
    Conversion c = conversion_of(in);
    if (!is_integer(c.from) && !is_scalar_float(c.from)) return {};
    if (!is_integer(c.to) && !is_scalar_float(c.to) && c.to != Type::tf32) return {};
    c.wide_to = is_wide(l, in.operands[0]);
    c.wide_from = in.operands[1].kind == ptx::Operand::Kind::reg ? is_wide(l, in.operands[1])
                                                                 : ptx::bytes_of(c.from) == 8;
    l.out.offset = std::bit_cast<int64_t>(c);
    return Exec{convert_lanes};
}

}  // namespace wl::emulator
