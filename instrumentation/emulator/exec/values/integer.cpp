// Models integer arithmetic of 16, 32 and 64 bits and pairs of 16: PTX ISA 9.7.1, bit for bit. Division by
// zero gives all ones as hardware does, which the ISA leaves open. Not modelled: nothing.
#include "instrumentation/emulator/exec/values/integer.h"

#include "instrumentation/emulator/exec/types.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>
#include <limits>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Type;

template <class T>
Double<T> mul_wide(T a, T b) {
    return Double<T>(a) * Double<T>(b);
}
template <class T>
T mad_lo(T a, T b, T c) {
    return add<T>(mul_lo<T>(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
    return add<T>(mul_hi<T>(a, b), c);
}
template <class T>
Double<T> mad_wide(T a, T b, Double<T> c) {
    return add<Double<T>>(mul_wide<T>(a, b), c);
}
template <class T>
T clamp(int64_t v) {
    return static_cast<T>(std::clamp<int64_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())
    );
}
int32_t add_sat(int32_t a, int32_t b) { return clamp<int32_t>(int64_t{a} + b); }
int32_t sub_sat(int32_t a, int32_t b) { return clamp<int32_t>(int64_t{a} - b); }
int32_t mad_hi_sat(int32_t a, int32_t b, int32_t c) { return add_sat(mul_hi<int32_t>(a, b), c); }

// mul24: the product of the low 24 bits has 48; .lo is bits 31..0, .hi bits 47..16.
template <class T>
int64_t product24(T a, T b) {
    if constexpr (std::is_signed_v<T>) {
        return int64_t{static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8} *
            (static_cast<int32_t>(static_cast<uint32_t>(b) << 8) >> 8);
    } else {
        return static_cast<int64_t>(uint64_t{a & 0xffffff} * (b & 0xffffff));
    }
}
template <class T>
T mul24_lo(T a, T b) {
    return static_cast<T>(product24<T>(a, b));
}
template <class T>
T mul24_hi(T a, T b) {
    return static_cast<T>(product24<T>(a, b) >> 16);
}
template <class T>
T mad24_lo(T a, T b, T c) {
    return add<T>(mul24_lo<T>(a, b), c);
}
template <class T>
T mad24_hi(T a, T b, T c) {
    return add<T>(mul24_hi<T>(a, b), c);
}
int32_t mad24_hi_sat(int32_t a, int32_t b, int32_t c) { return add_sat(mul24_hi<int32_t>(a, b), c); }

template <class T>
T divide(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return sub<T>(0, a);
    return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
    if (b == 0) return static_cast<T>(-1);  // measured; the ISA leaves it open
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
}
template <class T>
T absolute(T a) {
    return a < 0 ? sub<T>(0, a) : a;
}
template <class T>
T negate(T a) {
    return sub<T>(0, a);
}
template <class T>
T smaller(T a, T b) {
    return a < b ? a : b;
}
template <class T>
T larger(T a, T b) {
    return a < b ? b : a;
}
template <class T>
T smaller_relu(T a, T b) {
    return std::max(std::min(a, b), T{0});
}
template <class T>
T larger_relu(T a, T b) {
    return std::max(std::max(a, b), T{0});
}
// Each half of a register by itself.
template <class T, auto F>
uint32_t both_halves(uint32_t a, uint32_t b) {
    const auto low = static_cast<uint16_t>(F(static_cast<T>(a), static_cast<T>(b)));
    const auto high = static_cast<uint16_t>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return uint32_t{high} << 16 | low;
}
template <class T>
T sad(T a, T b, T c) {
    return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b));
}

template <class T>
Exec select_multiply(Op op, const ptx::Modifiers& m) {
    constexpr bool kS32 = std::is_same_v<T, int32_t>;
    const bool mad = op == Op::mad;
    switch (m.mode) {
        case Mode::lo: return mad ? map3<mad_lo<T>, T, T> : map2<mul_lo<T>, T, T>;
        case Mode::hi:
            if constexpr (kS32) {
                if (mad && m.sat) return map3<mad_hi_sat, T, T>;
            }
            return mad ? map3<mad_hi<T>, T, T> : map2<mul_hi<T>, T, T>;
        case Mode::wide:
            if constexpr (sizeof(T) < 8) {
                return mad ? map3<mad_wide<T>, Double<T>, T, T, Double<T>> : map2<mul_wide<T>, Double<T>, T>;
            }
            return nullptr;
        default: return nullptr;
    }
}

template <class T>
Exec select_multiply24(Op op, const ptx::Modifiers& m) {
    if constexpr (sizeof(T) != 4) {
        return nullptr;
    } else {
        const bool high = m.mode == Mode::hi;
        if (op == Op::mul24) return high ? map2<mul24_hi<T>, T, T> : map2<mul24_lo<T>, T, T>;
        if constexpr (std::is_signed_v<T>) {
            if (high && m.sat) return map3<mad24_hi_sat, T, T>;
        }
        return high ? map3<mad24_hi<T>, T, T> : map3<mad24_lo<T>, T, T>;
    }
}

template <class T>
Exec select_arithmetic(Op op, const ptx::Modifiers& m) {
    constexpr bool kS32 = std::is_same_v<T, int32_t>;
    if constexpr (kS32) {
        if (m.sat && op == Op::add) return map2<add_sat, T, T>;
        if (m.sat && op == Op::sub) return map2<sub_sat, T, T>;
        if (m.relu && op == Op::min) return map2<smaller_relu<T>, T, T>;
        if (m.relu && op == Op::max) return map2<larger_relu<T>, T, T>;
    }
    switch (op) {
        case Op::add: return map2<add<T>, T, T>;
        case Op::sub: return map2<sub<T>, T, T>;
        case Op::mul:
        case Op::mad: return select_multiply<T>(op, m);
        case Op::mul24:
        case Op::mad24: return select_multiply24<T>(op, m);
        case Op::sad: return map3<sad<T>, T, T>;
        case Op::div: return map2<divide<T>, T, T>;
        case Op::rem: return map2<remainder<T>, T, T>;
        case Op::abs: return map1<absolute<T>, T, T>;
        case Op::neg: return map1<negate<T>, T, T>;
        case Op::min: return map2<smaller<T>, T, T>;
        case Op::max: return map2<larger<T>, T, T>;
        default: return nullptr;
    }
}

template <class T>
Exec select_pair(Op op, bool relu) {
    switch (op) {
        case Op::add: return map2<both_halves<T, add<T>>, uint32_t, uint32_t>;
        case Op::min:
            if (relu) return map2<both_halves<T, smaller_relu<T>>, uint32_t, uint32_t>;
            return map2<both_halves<T, smaller<T>>, uint32_t, uint32_t>;
        case Op::max:
            if (relu) return map2<both_halves<T, larger_relu<T>>, uint32_t, uint32_t>;
            return map2<both_halves<T, larger<T>>, uint32_t, uint32_t>;
        default: return nullptr;
    }
}

}  // namespace

Selected lower_integer(Lowering& l) {
    const auto& in = *l.in;
    if (in.op > Op::max || in.op < Op::add || in.types.empty() || in.modifiers.cc) return {};
    const Type t = in.types[0];
    plain_operands(l, t);
    if (in.op == Op::mad && in.modifiers.mode == Mode::wide)
        l.out.r[3] = source(l, 3, ptx::bytes_of(t) == 4 ? Type::u64 : Type::u32);
    if (t == Type::u16x2) return select_pair<uint16_t>(in.op, false);
    if (t == Type::s16x2) return select_pair<int16_t>(in.op, in.modifiers.relu);
    return by_integer(t, [&]<class T>() { return select_arithmetic<T>(in.op, in.modifiers); });
}

}  // namespace wl::emulator
