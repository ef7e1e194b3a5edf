// Models single and double precision arithmetic: PTX ISA 9.7.3, with ftz, saturation and the four roundings,
// bit for bit. Not modelled: NaN payloads of double precision follow the host, which keeps the first
// operand's.
#include "instrumentation/emulator/exec/types.h"
#include "instrumentation/emulator/exec/values/approximate.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

#include <immintrin.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Rounding;
using ptx::Type;

template <class T>
T add(T a, T b) {
    return a + b;
}
template <class T>
T sub(T a, T b) {
    return a - b;
}
template <class T>
T mul(T a, T b) {
    return a * b;
}
template <class T>
T fused(T a, T b, T c) {
    return std::fma(a, b, c);
}
template <class T>
T divide(T a, T b) {
    return a / b;
}
template <class T>
T root(T a) {
    return std::sqrt(a);
}
template <class T>
T reciprocal(T a) {
    return 1 / a;
}

// Flushed inputs, F, flushed and canonical result.
template <class T, auto F, bool Ftz, bool Sat, class... A>
T finished(A... a) {
    const T result = flush<Ftz>(F(flush<Ftz>(a)...));
    return Sat ? saturate(result) : canonical(result);
}
template <class T, auto F, bool Ftz, bool Sat>
T one(T a) {
    return finished<T, F, Ftz, Sat>(a);
}
template <class T, auto F, bool Ftz, bool Sat>
T two(T a, T b) {
    return finished<T, F, Ftz, Sat>(a, b);
}
template <class T, auto F, bool Ftz, bool Sat>
T three(T a, T b, T c) {
    return finished<T, F, Ftz, Sat>(a, b, c);
}

// Runs an executor under another rounding mode of the host.
template <Exec Body, unsigned Mode>
const Instr* rounded(Warp& w, const Instr* i) {
    const unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~unsigned{_MM_ROUND_MASK}) | Mode);
    // Through a volatile pointer: arithmetic must not move out between the two settings.
    const volatile Exec body = Body;
    const Instr* next = body(w, i);
    _mm_setcsr(before);
    return next;
}
template <Exec Body>
Exec with_rounding(Rounding r) {
    switch (r) {
        case Rounding::rz: return rounded<Body, _MM_ROUND_TOWARD_ZERO>;
        case Rounding::rm: return rounded<Body, _MM_ROUND_DOWN>;
        case Rounding::rp: return rounded<Body, _MM_ROUND_UP>;
        default: return Body;
    }
}

template <class T, auto F>
Exec unary(const ptx::Modifiers& m) {
    if constexpr (std::is_same_v<T, float>) {
        if (m.ftz) return with_rounding<map1<one<T, F, true, false>, T, T>>(m.rounding);
    }
    return with_rounding<map1<one<T, F, false, false>, T, T>>(m.rounding);
}
template <class T, auto F>
Exec binary(const ptx::Modifiers& m) {
    if constexpr (std::is_same_v<T, float>) {
        if (m.ftz && m.sat) return with_rounding<map2<two<T, F, true, true>, T, T>>(m.rounding);
        if (m.ftz) return with_rounding<map2<two<T, F, true, false>, T, T>>(m.rounding);
        if (m.sat) return with_rounding<map2<two<T, F, false, true>, T, T>>(m.rounding);
    }
    return with_rounding<map2<two<T, F, false, false>, T, T>>(m.rounding);
}
template <class T>
Exec ternary(const ptx::Modifiers& m) {
    if constexpr (std::is_same_v<T, float>) {
        if (m.ftz && m.sat) return with_rounding<map3<three<T, fused<T>, true, true>, T, T>>(m.rounding);
        if (m.ftz) return with_rounding<map3<three<T, fused<T>, true, false>, T, T>>(m.rounding);
        if (m.sat) return with_rounding<map3<three<T, fused<T>, false, true>, T, T>>(m.rounding);
    }
    return with_rounding<map3<three<T, fused<T>, false, false>, T, T>>(m.rounding);
}

// min and max, ISA 9.7.3.11: -0 < +0; one NaN gives the other operand, unless .NaN asks for NaN.
template <class T, bool Max, bool Ftz, bool KeepNan, bool XorSign, bool Abs>
T extremum(T x, T y) {
    const T a = Abs ? magnitude(flush<Ftz>(x)) : flush<Ftz>(x);
    const T b = Abs ? magnitude(flush<Ftz>(y)) : flush<Ftz>(y);
    const auto abits = bits_of_float(a);
    const auto bbits = bits_of_float(b);
    T result = Max ? (a < b ? b : a) : (b < a ? b : a);
    result = a == b ? std::bit_cast<T>(Max ? abits & bbits : abits | bbits) : result;
    const T with_nan = KeepNan ? a + b : a == a ? a : b;
    result = a == a && b == b ? result : with_nan;
    if constexpr (XorSign) {
        constexpr auto kSign = decltype(abits){1} << (8 * sizeof(T) - 1);
        const auto sign = (bits_of_float(x) ^ bits_of_float(y)) & kSign;
        result = std::bit_cast<T>((bits_of_float(result) & ~kSign) | sign);
    }
    return quiet(result);
}
template <class T, bool Max>
Exec select_extremum(const ptx::Modifiers& m) {
    if constexpr (std::is_same_v<T, float>) {
        if (m.xorsign) {
            if (m.nan)
                return m.ftz ? map2<extremum<T, Max, true, true, true, true>, T, T>
                             : map2<extremum<T, Max, false, true, true, true>, T, T>;
            return m.ftz ? map2<extremum<T, Max, true, false, true, true>, T, T>
                         : map2<extremum<T, Max, false, false, true, true>, T, T>;
        }
        if (m.nan)
            return m.ftz ? map2<extremum<T, Max, true, true, false, false>, T, T>
                         : map2<extremum<T, Max, false, true, false, false>, T, T>;
        if (m.ftz) return map2<extremum<T, Max, true, false, false, false>, T, T>;
    }
    return map2<extremum<T, Max, false, false, false, false>, T, T>;
}

template <class T, bool Ftz>
T absolute(T a) {
    return a == a ? magnitude(flush<Ftz>(a)) : quiet(a);
}
template <class T, bool Ftz>
T negate(T a) {
    return a == a ? negated(flush<Ftz>(a)) : quiet(a);
}

template <class T>
T copy_sign(T a, T b) {
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr U kSign = U{1} << (8 * sizeof(T) - 1);
    return std::bit_cast<T>((std::bit_cast<U>(b) & ~kSign) | (std::bit_cast<U>(a) & kSign));
}

// Division by approximation is bounded by 2 ulp (ISA 9.7.3.8); the exact quotient keeps to that. div.approx
// gives 0 for divisors beyond 2^126.
template <bool Ftz>
float divide_approx(float a, float b) {
    const float q = finished<float, divide<float>, Ftz, false>(a, b);
    const float huge = magnitude(b);
    const bool far = huge > 0x1p126f && huge < INFINITY;
    const float zero = std::bit_cast<float>((bits_of_float(a) ^ bits_of_float(b)) & 0x80000000u);
    return !far ? q : magnitude(a) < INFINITY ? zero : std::bit_cast<float>(0x7fffffffu);
}

template <class T>
Exec select(const ptx::Instruction& in) {
    const auto& m = in.modifiers;
    switch (in.op) {
        case Op::add: return binary<T, add<T>>(m);
        case Op::sub: return binary<T, sub<T>>(m);
        case Op::mul: return binary<T, mul<T>>(m);
        case Op::mad:
        case Op::fma: return ternary<T>(m);
        case Op::div:
            if constexpr (std::is_same_v<T, float>) {
                if (m.approx)
                    return m.ftz ? map2<divide_approx<true>, T, T> : map2<divide_approx<false>, T, T>;
            }
            return binary<T, divide<T>>(m);
        case Op::sqrt: return unary<T, root<T>>(m);
        case Op::rcp:
            if constexpr (std::is_same_v<T, double>) {
                if (m.approx) return map1<upper_word<reciprocal<double>>, T, T>;
            }
            return unary<T, reciprocal<T>>(m);
        case Op::min: return select_extremum<T, false>(m);
        case Op::max: return select_extremum<T, true>(m);
        case Op::abs: return m.ftz ? map1<absolute<T, true>, T, T> : map1<absolute<T, false>, T, T>;
        case Op::neg: return m.ftz ? map1<negate<T, true>, T, T> : map1<negate<T, false>, T, T>;
        case Op::copysign: return map2<copy_sign<T>, T, T>;
        default: return nullptr;
    }
}

// f32x2: two singles in a register of 64 bits.
template <auto F, bool Ftz, class... A>
uint64_t of_pair(A... a) {
    const auto half = [&](int shift) {
        const float x =
            finished<float, F, Ftz, false>(std::bit_cast<float>(static_cast<uint32_t>(a >> shift))...);
        return uint64_t{bits_of_float(x)} << shift;
    };
    return half(0) | half(32);
}
template <auto F, bool Ftz>
uint64_t pair_of_two(uint64_t a, uint64_t b) {
    return of_pair<F, Ftz>(a, b);
}
template <bool Ftz>
uint64_t pair_of_three(uint64_t a, uint64_t b, uint64_t c) {
    return of_pair<fused<float>, Ftz>(a, b, c);
}
template <bool Ftz>
Exec select_pair(const ptx::Instruction& in) {
    using U = uint64_t;
    const Rounding r = in.modifiers.rounding;
    switch (in.op) {
        case Op::add: return with_rounding<map2<pair_of_two<add<float>, Ftz>, U, U>>(r);
        case Op::sub: return with_rounding<map2<pair_of_two<sub<float>, Ftz>, U, U>>(r);
        case Op::mul: return with_rounding<map2<pair_of_two<mul<float>, Ftz>, U, U>>(r);
        case Op::fma: return with_rounding<map3<pair_of_three<Ftz>, U, U>>(r);
        default: return nullptr;
    }
}

}  // namespace

Selected lower_float(Lowering& l) {
    const auto& in = *l.in;
    if (in.types.size() == 1 && in.types[0] == Type::f32x2) {
        const Exec pair = in.modifiers.ftz ? select_pair<true>(in) : select_pair<false>(in);
        if (pair != nullptr) plain_operands(l, Type::b64);
        return pair;
    }
    if (in.types.empty() || (in.types[0] != Type::f32 && in.types[0] != Type::f64)) return {};
    const Exec exec = by_float(in.types[0], [&]<class T>() { return select<T>(in); });
    if (exec == nullptr) return {};
    plain_operands(l, in.types[0]);
    return exec;
}

}  // namespace wl::emulator
