// Models bit counting, bit fields and dot products of bytes: PTX ISA 9.7.1.12-9.7.1.24. Not modelled:
// nothing.
#include "instrumentation/emulator/exec/types.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Type;

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
// A position or length of a bit field: the low 8 bits. Of 64-bit fields the hardware takes all 32 instead
// (measured; the ISA allows 0..255 only), and clamps.
template <class T>
uint32_t field_operand(uint32_t x) {
    return sizeof(T) == 8 ? std::min(x, 255u) : x & 0xff;
}
// Bit field extract, ISA 9.7.1.19: bits past the top repeat the sign.
template <class T>
T extract(T a, uint32_t start, uint32_t length) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    const uint32_t pos = field_operand<T>(start);
    const uint32_t len = field_operand<T>(length);
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
    const uint32_t pos = field_operand<T>(start);
    const uint32_t len = field_operand<T>(length);
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

Exec select_dot_by_type(const ptx::Instruction& in) {
    const bool a = in.types[0] == Type::s32, b = in.types.size() > 1 && in.types[1] == Type::s32;
    if (a) return b ? select_dot<int32_t, int32_t>(in) : select_dot<int32_t, uint32_t>(in);
    return b ? select_dot<uint32_t, int32_t>(in) : select_dot<uint32_t, uint32_t>(in);
}

// Positions and lengths are 32-bit whatever the type.
void position_operands(Lowering& l) {
    const auto& in = *l.in;
    for (size_t k = in.op == Op::bfi ? 3 : 2; k < in.operands.size(); ++k)
        l.out.r[k] = source(l, k, Type::u32);
}

}  // namespace

Selected lower_bits(Lowering& l) {
    const auto& in = *l.in;
    if (in.op < Op::popc || in.op > Op::dp2a || in.types.empty()) return {};
    const Type t = in.types[0];
    const auto& m = in.modifiers;
    switch (in.op) {
        case Op::fns:
            plain_operands(l, Type::u32);
            return Exec{map3<find_nth_set, uint32_t, uint32_t, uint32_t, int32_t>};
        case Op::bmsk:
            plain_operands(l, Type::u32);
            return Exec{
                m.mode == Mode::wrap ? map2<mask_wrap, uint32_t, uint32_t>
                                     : map2<mask_clamp, uint32_t, uint32_t>};
        case Op::dp4a:
        case Op::dp2a: plain_operands(l, Type::b32); return select_dot_by_type(in);
        default: break;
    }
    plain_operands(l, t);
    position_operands(l);
    return by_integer(t, [&]<class T>() { return select_bits<T>(in.op, m); });
}

}  // namespace wl::emulator
