// Models f16, bf16 and packed pair arithmetic: PTX ISA 9.7.4. Computed in single precision, whose 24 bits
// exceed twice 11 plus 2, so that the second rounding is innocuous; fma is rounded to odd first. Not
// modelled: payloads.
#include "instrumentation/emulator/exec/values/half.h"

#include "instrumentation/emulator/exec/values/approximate.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

// x + y rounded to odd in double: the sum of an exact product and a 16-bit float never loses more than its
// last bit.
double add_to_odd(double x, double y) {
    const double sum = x + y;
    const double other = sum - x;
    const double error = (x - (sum - other)) + (y - other);
    const uint64_t bits = std::bit_cast<uint64_t>(sum);
    const bool adjust = error != 0 && (bits & 1) == 0 && std::abs(sum) < INFINITY;
    return adjust ? std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1) : sum;
}
float narrow_to_odd(double x) {
    const float f = static_cast<float>(x);
    const double error = x - static_cast<double>(f);
    const uint32_t bits = std::bit_cast<uint32_t>(f);
    const bool adjust = error != 0 && (bits & 1) == 0 && std::abs(f) < INFINITY;
    return adjust ? std::bit_cast<float>((error > 0) == (x > 0) ? bits + 1 : bits - 1) : f;
}

float add(float a, float b) { return a + b; }
float sub(float a, float b) { return a - b; }
float mul(float a, float b) { return a * b; }
float fused(float a, float b, float c) {
    return narrow_to_odd(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
}
struct FormatHalf {
    template <bool Ftz>
    static float read(uint16_t x) {
        return half_value<Ftz>(x);
    }
    template <bool Ftz>
    static uint16_t write(float x) {
        const uint16_t h = float_to_half<0>(x);
        return Ftz && (h & 0x7c00) == 0 ? h & 0x8000 : h;
    }
};
struct FormatBrain {
    template <bool Ftz>
    static float read(uint16_t x) {
        return brain_value(x);
    }
    template <bool Ftz>
    static uint16_t write(float x) {
        return float_to_brain<0>(x);
    }
};

enum class Clamp { none, sat, relu };
template <Clamp C>
float clamped(float x) {
    if constexpr (C == Clamp::sat) return saturate(x);
    if constexpr (C == Clamp::relu) return x < 0 ? 0.0f : x;
    return x;
}

// What happens to one element's bits: F on its values, rounded once.
template <class Format, bool Ftz, Clamp C, auto F>
struct Element {
    static uint16_t of(auto... s) {
        return Format::template write<Ftz>(clamped<C>(F(Format::template read<Ftz>(s)...)));
    }
};
// .oob: 0 where a factor is the NaN that marks an element out of bounds, of either sign (measured on an H200
// for every pattern; the ISA does not spell it).
template <class Inner>
struct ZeroWhereOutside {
    static bool is_outside(uint16_t x) { return (x & 0x7fff) == 0x7ff7; }
    static uint16_t of(uint16_t a, uint16_t b, uint16_t c) {
        return is_outside(a) || is_outside(b) ? uint16_t{0} : Inner::of(a, b, c);
    }
};
// .xorsign.abs: of the magnitudes, with the product's sign; NaN has none (measured).
template <class Inner>
struct SignOfProduct {
    static uint16_t of(uint16_t a, uint16_t b) {
        const uint16_t magnitude = Inner::of(uint16_t(a & 0x7fff), uint16_t(b & 0x7fff));
        return magnitude == kHalfNan ? kHalfNan : static_cast<uint16_t>(magnitude | ((a ^ b) & 0x8000));
    }
};

// r[0] = the element of r[1], ... : one a register, or the two of a packed pair.
template <class E, bool Packed, size_t... K>
const Instr* run_lanes(Warp& w, const Instr* i, std::index_sequence<K...>) {
    const uint32_t* s[] = {cells<uint32_t>(w, i->r[K + 1])...};
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) {
        const uint32_t low = E::of(static_cast<uint16_t>(s[K][lane])...);
        if constexpr (!Packed) return low;
        return low | uint32_t{E::of(static_cast<uint16_t>(s[K][lane] >> 16)...)} << 16;
    });
    return i + 1;
}
template <class E, bool Packed, size_t N>
const Instr* apply(Warp& w, const Instr* i) {
    return run_lanes<E, Packed>(w, i, std::make_index_sequence<N>{});
}

template <class Format, bool Packed, auto F, size_t N>
Exec variants(const ptx::Modifiers& m) {
    if (m.ftz && m.sat) return apply<Element<Format, true, Clamp::sat, F>, Packed, N>;
    if (m.ftz && m.relu) return apply<Element<Format, true, Clamp::relu, F>, Packed, N>;
    if (m.ftz) return apply<Element<Format, true, Clamp::none, F>, Packed, N>;
    if (m.sat) return apply<Element<Format, false, Clamp::sat, F>, Packed, N>;
    if (m.relu) return apply<Element<Format, false, Clamp::relu, F>, Packed, N>;
    return apply<Element<Format, false, Clamp::none, F>, Packed, N>;
}
template <class Format, bool Packed>
Exec select_fused(const ptx::Modifiers& m) {
    if (!m.oob) return variants<Format, Packed, fused, 3>(m);
    if (m.relu) return apply<ZeroWhereOutside<Element<Format, false, Clamp::relu, fused>>, Packed, 3>;
    return apply<ZeroWhereOutside<Element<Format, false, Clamp::none, fused>>, Packed, 3>;
}
template <class Format, bool Packed, bool Max, bool KeepNan>
Exec select_extremum(const ptx::Modifiers& m) {
    constexpr auto kExtremum = extremum<Max, KeepNan>;
    if (!m.xorsign) return variants<Format, Packed, kExtremum, 2>(m);
    if (m.ftz) return apply<SignOfProduct<Element<Format, true, Clamp::none, kExtremum>>, Packed, 2>;
    return apply<SignOfProduct<Element<Format, false, Clamp::none, kExtremum>>, Packed, 2>;
}

template <class Format, bool Packed>
Exec select(const ptx::Instruction& in) {
    const auto& m = in.modifiers;
    switch (in.op) {
        case Op::add: return variants<Format, Packed, add, 2>(m);
        case Op::sub: return variants<Format, Packed, sub, 2>(m);
        case Op::mul: return variants<Format, Packed, mul, 2>(m);
        case Op::fma: return select_fused<Format, Packed>(m);
        case Op::min:
            return m.nan ? select_extremum<Format, Packed, false, true>(m)
                         : select_extremum<Format, Packed, false, false>(m);
        case Op::max:
            return m.nan ? select_extremum<Format, Packed, true, true>(m)
                         : select_extremum<Format, Packed, true, false>(m);
        case Op::ex2: return variants<Format, Packed, exp2_approx, 1>(m);
        case Op::tanh: return variants<Format, Packed, tanh_approx, 1>(m);
        default: return nullptr;
    }
}

// neg and abs change the sign bit alone, but for NaN, which comes out canonical. Exponent: its mask in place.
template <bool Negate, uint32_t Exponent, bool Ftz>
uint32_t sign_of_one(uint32_t x) {
    if ((x & 0x7fff) > Exponent) return 0x7fff;
    if (Ftz && (x & Exponent) == 0) x &= 0x8000;
    return Negate ? x ^ 0x8000 : x & 0x7fff;
}
template <bool Negate, bool Packed, uint32_t Exponent, bool Ftz>
uint32_t change_sign(uint32_t x) {
    const uint32_t low = sign_of_one<Negate, Exponent, Ftz>(x & 0xffff);
    return Packed ? sign_of_one<Negate, Exponent, Ftz>(x >> 16) << 16 | low : low;
}
template <bool Negate, uint32_t Exponent, bool Ftz>
Exec select_sign(bool packed) {
    return packed ? map1<change_sign<Negate, true, Exponent, Ftz>, uint32_t, uint32_t>
                  : map1<change_sign<Negate, false, Exponent, Ftz>, uint32_t, uint32_t>;
}
template <bool Negate>
Exec select_sign(bool packed, bool half, bool ftz) {
    if (!half) return select_sign<Negate, 0x7f80, false>(packed);
    return ftz ? select_sign<Negate, 0x7c00, true>(packed) : select_sign<Negate, 0x7c00, false>(packed);
}

}  // namespace

Selected lower_half(Lowering& l) {
    const auto& in = *l.in;
    if (in.types.size() != 1) return {};
    const Type t = in.types[0];
    const bool half = t == Type::f16 || t == Type::f16x2, brain = t == Type::bf16 || t == Type::bf16x2;
    if (!half && !brain) return {};
    const bool packed = t == Type::f16x2 || t == Type::bf16x2;
    plain_operands(l, t);
    if (in.op == Op::neg) return select_sign<true>(packed, half, in.modifiers.ftz);
    if (in.op == Op::abs) return select_sign<false>(packed, half, in.modifiers.ftz);
    if (half) return packed ? select<FormatHalf, true>(in) : select<FormatHalf, false>(in);
    return packed ? select<FormatBrain, true>(in) : select<FormatBrain, false>(in);
}

}  // namespace wl::emulator
