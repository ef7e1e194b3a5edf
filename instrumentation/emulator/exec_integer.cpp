// Models integer arithmetic of 16, 32 and 64 bits: PTX ISA 9.7.1 and 9.7.2, bit for bit. Not modelled: the
// SIMD video instructions; division by zero gives all ones as hardware does, which the ISA leaves open.
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/simd.h"
#include "instrumentation/emulator/types.h"
#include "instrumentation/emulator/wide.h"

#include <algorithm>
#include <limits>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Type;

// Arithmetic wraps: do it in the unsigned type, at least 32 bits wide.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Double = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 2, int32_t, std::conditional_t<sizeof(T) == 4, int64_t, Int128>>,
    std::conditional_t<sizeof(T) == 2, uint32_t, std::conditional_t<sizeof(T) == 4, uint64_t, UInt128>>>;

template <class T>
T add(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
T sub(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
T mul_lo(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <class T>
T mul_hi(T a, T b) {
    return static_cast<T>(Double<T>(a) * Double<T>(b) >> (8 * sizeof(T)));
}
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
    if (b == 0) return a;
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
int32_t smaller_relu(int32_t a, int32_t b) { return std::max(std::min(a, b), 0); }
int32_t larger_relu(int32_t a, int32_t b) { return std::max(std::max(a, b), 0); }
template <class T>
T sad(T a, T b, T c) {
    return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b));
}

template <class T>
uint32_t population(T a) {
    return static_cast<uint32_t>(std::popcount(a));
}
template <class T>
uint32_t leading_zeros(T a) {
    return static_cast<uint32_t>(std::countl_zero(a));
}
// Position of the most significant bit that differs from the sign; all ones when there is none.
template <class T, bool ShiftAmount>
uint32_t find_bit(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0) return ~0u;
    const uint32_t leading = static_cast<uint32_t>(std::countl_zero(bits));
    return ShiftAmount ? leading : 8 * sizeof(T) - 1 - leading;
}
// The n-th set bit from `base`, upwards for n > 0, downwards for n < 0 (ISA 9.7.1.17).
uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? int64_t{offset} : -int64_t{offset};
    for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step)
        if ((mask >> position & 1) != 0 && --left == 0) return static_cast<uint32_t>(position);
    return ~0u;
}
template <class T>
T reverse_bits(T a) {
    T result = 0;
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) result |= (a >> bit & 1) << (8 * sizeof(T) - 1 - bit);
    return result;
}
// Bit field extract, ISA 9.7.1.19: bits past the top repeat the sign.
template <class T>
T extract(T a, uint32_t start, uint32_t length) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    const uint32_t pos = start & 0xff;
    const uint32_t len = length & 0xff;
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(a);
    const bool negative =
        std::is_signed_v<T> && len != 0 && (bits >> std::min(pos + len - 1, kBits - 1) & 1) != 0;
    U result = pos >= kBits ? 0 : static_cast<U>(bits >> pos);
    const uint32_t kept = pos >= kBits ? 0 : std::min(len, kBits - pos);
    const U field = kept >= kBits ? ~U{0} : static_cast<U>((U{1} << kept) - 1);
    result &= field;
    return static_cast<T>(negative ? result | ~field : result);
}
template <class T>
T insert(T a, T b, uint32_t start, uint32_t length) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    const uint32_t pos = start & 0xff;
    const uint32_t len = length & 0xff;
    if (pos >= kBits || len == 0) return b;
    const T field = (len >= kBits ? ~T{0} : static_cast<T>((T{1} << len) - 1)) << pos;
    return (a << pos & field) | (b & ~field);
}
uint32_t mask_clamp(uint32_t a, uint32_t b) {
    if (a >= 32) return 0;
    return (b >= 32 ? ~0u : (1u << b) - 1) << a;
}
uint32_t mask_wrap(uint32_t a, uint32_t b) { return ((1u << (b & 31)) - 1) << (a & 31); }
template <class T, bool Wrap>
T extend(T a, uint32_t width) {
    const uint32_t n = Wrap ? width & 31 : width;
    if (n >= 32) return a;
    if (n == 0) return 0;
    return static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << (32 - n)) >> (32 - n));
}

template <class A, class B>
int32_t dot4(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t sum = c;
    for (int k = 0; k < 32; k += 8)
        sum += static_cast<uint32_t>(static_cast<A>(a >> k)) * static_cast<uint32_t>(static_cast<B>(b >> k));
    return static_cast<int32_t>(sum);
}
// Halves of a with bytes 0,1 (lo) or 2,3 (hi) of b.
template <class A, class B, int Shift>
int32_t dot2(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t sum = c;
    for (int k = 0; k < 2; ++k)
        sum += static_cast<uint32_t>(static_cast<A>(a >> (16 * k))) *
            static_cast<uint32_t>(static_cast<B>(b >> (8 * k + Shift)));
    return static_cast<int32_t>(sum);
}

enum class Carry { add, sub };

// r[0] = r[1] +- r[2] with carry in (UseCarry) and out (r[5] != 0), ISA 9.7.2.
template <class T, Carry Kind, bool UseCarry>
const Instr* extended(Warp& w, const Instr* i) {
    const T* a = cells<T>(w, i->r[1]);
    const T* b = cells<T>(w, i->r[2]);
    T* d = cells<T>(w, i->r[0]);
    uint32_t carry = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!has_lane(w.mask, lane)) continue;
        const T in = UseCarry ? static_cast<T>(w.carry >> lane & 1) : 0;
        UInt128 wide = a[lane];
        if constexpr (Kind == Carry::add) {
            wide += b[lane];
            wide += in;
        } else {
            wide -= b[lane];
            wide -= in;
        }
        d[lane] = static_cast<T>(wide);
        carry |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << lane;
    }
    if (i->r[5] != 0) w.carry = (w.carry & ~w.mask) | (carry & w.mask);
    return i + 1;
}
template <class T, bool High, bool UseCarry>
const Instr* extended_mad(Warp& w, const Instr* i) {
    using U = std::make_unsigned_t<T>;
    const T* a = cells<T>(w, i->r[1]);
    const T* b = cells<T>(w, i->r[2]);
    const U* c = cells<U>(w, i->r[3]);
    U* d = cells<U>(w, i->r[0]);
    uint32_t carry = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!has_lane(w.mask, lane)) continue;
        const U product = static_cast<U>(High ? mul_hi<T>(a[lane], b[lane]) : mul_lo<T>(a[lane], b[lane]));
        UInt128 wide = product;
        wide += c[lane];
        wide += UseCarry ? w.carry >> lane & 1 : 0;
        d[lane] = static_cast<U>(wide);
        carry |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << lane;
    }
    if (i->r[5] != 0) w.carry = (w.carry & ~w.mask) | (carry & w.mask);
    return i + 1;
}

Exec select_extended(const ptx::Instruction& in) {
    const bool chained = in.op == Op::addc || in.op == Op::subc || in.op == Op::madc;
    const bool high = in.modifiers.mode == Mode::hi;
    return by_integer(in.types[0], [&]<class T>() -> Exec {
        using U = std::make_unsigned_t<T>;
        if constexpr (sizeof(T) < 4)
            return nullptr;
        else
            switch (in.op) {
                case Op::add:
                case Op::addc:
                    return chained ? extended<U, Carry::add, true> : extended<U, Carry::add, false>;
                case Op::sub:
                case Op::subc:
                    return chained ? extended<U, Carry::sub, true> : extended<U, Carry::sub, false>;
                case Op::mad:
                case Op::madc:
                    if (high) return chained ? extended_mad<T, true, true> : extended_mad<T, true, false>;
                    return chained ? extended_mad<T, false, true> : extended_mad<T, false, false>;
                default: return nullptr;
            }
    });
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
        if (m.relu && op == Op::min) return map2<smaller_relu, T, T>;
        if (m.relu && op == Op::max) return map2<larger_relu, T, T>;
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
Exec select_bits(Op op, const ptx::Modifiers& m) {
    using U = std::make_unsigned_t<T>;
    if constexpr (sizeof(T) < 4) {
        return nullptr;
    } else {
        switch (op) {
            case Op::popc: return map1<population<U>, uint32_t, U>;
            case Op::clz: return map1<leading_zeros<U>, uint32_t, U>;
            case Op::bfind:
                return m.shift_amount ? map1<find_bit<T, true>, uint32_t, T>
                                      : map1<find_bit<T, false>, uint32_t, T>;
            case Op::brev: return map1<reverse_bits<U>, U, U>;
            case Op::bfe: return map3<extract<T>, T, T, uint32_t, uint32_t>;
            case Op::bfi: return map4<insert<U>, U, U, U, uint32_t, uint32_t>;
            case Op::szext:
                if constexpr (sizeof(T) == 4)
                    return m.mode == Mode::wrap ? map2<extend<T, true>, T, T, uint32_t>
                                                : map2<extend<T, false>, T, T, uint32_t>;
                return nullptr;
            default: return nullptr;
        }
    }
}

template <class A, class B>
Exec select_dot(const ptx::Instruction& in) {
    if (in.op == Op::dp4a)
        return map3<
            dot4<
                std::conditional_t<std::is_signed_v<A>, int8_t, uint8_t>,
                std::conditional_t<std::is_signed_v<B>, int8_t, uint8_t>>,
            int32_t,
            uint32_t>;
    using Half = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
    using Byte = std::conditional_t<std::is_signed_v<B>, int8_t, uint8_t>;
    return in.modifiers.mode == Mode::hi ? map3<dot2<Half, Byte, 16>, int32_t, uint32_t>
                                         : map3<dot2<Half, Byte, 0>, int32_t, uint32_t>;
}

Exec select(const ptx::Instruction& in) {
    const Type t = in.types.empty() ? Type::none : in.types[0];
    const auto& m = in.modifiers;
    switch (in.op) {
        case Op::fns: return map3<find_nth_set, uint32_t, uint32_t, uint32_t, int32_t>;
        case Op::bmsk:
            return m.mode == Mode::wrap ? map2<mask_wrap, uint32_t, uint32_t>
                                        : map2<mask_clamp, uint32_t, uint32_t>;
        case Op::dp4a:
        case Op::dp2a: {
            const bool a = in.types[0] == Type::s32, b = in.types.size() > 1 && in.types[1] == Type::s32;
            if (a) return b ? select_dot<int32_t, int32_t>(in) : select_dot<int32_t, uint32_t>(in);
            return b ? select_dot<uint32_t, int32_t>(in) : select_dot<uint32_t, uint32_t>(in);
        }
        case Op::addc:
        case Op::subc:
        case Op::madc: return select_extended(in);
        case Op::popc:
        case Op::clz:
        case Op::bfind:
        case Op::brev:
        case Op::bfe:
        case Op::bfi:
        case Op::szext: return by_integer(t, [&]<class T>() { return select_bits<T>(in.op, m); });
        default:
            if (m.cc) return select_extended(in);
            return by_integer(t, [&]<class T>() { return select_arithmetic<T>(in.op, m); });
    }
}

// Operands whose type is not the instruction's: shift counts, positions, lengths, wide addends.
void mixed_operands(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::bfe:
            l.out.r[2] = source(l, 2, Type::u32);
            l.out.r[3] = source(l, 3, Type::u32);
            break;
        case Op::bfi:
            l.out.r[3] = source(l, 3, Type::u32);
            l.out.r[4] = source(l, 4, Type::u32);
            break;
        case Op::mad:
            if (in.modifiers.mode == Mode::wide)
                l.out.r[3] = source(l, 3, ptx::bytes_of(in.types[0]) == 4 ? Type::u64 : Type::u32);
            break;
        case Op::add:
        case Op::addc:
        case Op::sub:
        case Op::subc:
        case Op::madc: break;
        default: break;
    }
    if (in.modifiers.cc) l.out.r[5] = 1;
}

}  // namespace

Selected lower_integer(Lowering& l) {
    const auto& in = *l.in;
    if (in.op > Op::madc || in.op < Op::add || in.types.empty()) return {};
    const Exec exec = select(in);
    if (exec == nullptr) return {};
    plain_operands(l, in.op == Op::fns ? Type::u32 : in.types[0]);
    mixed_operands(l);
    return exec;
}

}  // namespace wl::emulator
