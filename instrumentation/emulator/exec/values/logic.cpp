// Models logic, shifts, byte permutation and selection: PTX ISA 9.7.8, selp and slct of 9.7.6. Not modelled:
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
T bit_and(T a, T b) {
    return a & b;
}
template <class T>
T bit_or(T a, T b) {
    return a | b;
}
template <class T>
T bit_xor(T a, T b) {
    return a ^ b;
}
template <class T>
T bit_not(T a) {
    return ~a;
}
template <class T>
T is_zero(T a) {
    return a == 0 ? 1 : 0;
}

// Shift counts beyond the width are clamped to it.
template <class T>
T shift_left(T a, uint32_t n) {
    return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << n);
}
template <class T>
T shift_right(T a, uint32_t n) {
    if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(a >> std::min<uint32_t>(n, 8 * sizeof(T) - 1));
    } else {
        return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a >> n);
    }
}
// shf: the upper (.l) or lower (.r) half of the shifted pair (b, a).
template <bool Left, bool Wrap>
uint32_t funnel(uint32_t a, uint32_t b, uint32_t count) {
    const uint32_t n = Wrap ? count & 31 : std::min(count, 32u);
    const uint64_t pair = uint64_t{b} << 32 | a;
    return static_cast<uint32_t>(Left ? pair << n >> 32 : pair >> n);
}

enum class Truth { and_, or_, xor_ };
template <Truth Kind>
const Instr* predicate_logic(Warp& w, const Instr* i) {
    const uint32_t a = read_predicate(w, i->r[1]);
    const uint32_t b = read_predicate(w, i->r[2]);
    write_predicate(w, i->r[0], Kind == Truth::and_ ? a & b : Kind == Truth::or_ ? a | b : a ^ b);
    return i + 1;
}
const Instr* predicate_not(Warp& w, const Instr* i) {
    write_predicate(w, i->r[0], ~read_predicate(w, i->r[1]));
    return i + 1;
}
const Instr* predicate_copy(Warp& w, const Instr* i) {
    write_predicate(w, i->r[0], read_predicate(w, i->r[1]));
    return i + 1;
}

// Any function of three bits by its truth table `offset`; lop3.bool also combines (result != 0) with a
// predicate.
template <bool Two>
const Instr* table_logic(Warp& w, const Instr* i) {
    const uint32_t* a = cells<uint32_t>(w, i->r[1]);
    const uint32_t* b = cells<uint32_t>(w, i->r[2]);
    const uint32_t* c = cells<uint32_t>(w, i->r[3]);
    uint32_t minterm[8];
    for (int k = 0; k < 8; ++k) minterm[k] = (i->offset >> k & 1) != 0 ? ~0u : 0;
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) {
        const uint32_t x = a[lane], y = b[lane], z = c[lane];
        const uint32_t low =
            (~y & ((~z & minterm[0]) | (z & minterm[1]))) | (y & ((~z & minterm[2]) | (z & minterm[3])));
        const uint32_t high =
            (~y & ((~z & minterm[4]) | (z & minterm[5]))) | (y & ((~z & minterm[6]) | (z & minterm[7])));
        return (~x & low) | (x & high);
    });
    if constexpr (Two) {
        const uint32_t* d = cells<uint32_t>(w, i->r[0]);
        const uint32_t set = mask_of([=](int lane) { return d[lane] != 0; });
        const uint32_t q = read_predicate(w, i->r[5]);
        write_predicate(w, i->r[4], i->target == 0 ? set & q : i->target == 1 ? set | q : set ^ q);
    }
    return i + 1;
}

template <Mode Kind>
uint32_t permute(uint32_t a, uint32_t b, uint32_t control) {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    const uint32_t s = control & 3;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t pick = 0;
        bool sign = false;
        switch (Kind) {
            case Mode::f4e: pick = s + k; break;
            case Mode::b4e: pick = (8 + s - k) & 7; break;
            case Mode::rc8: pick = s; break;
            case Mode::ecl: pick = std::max(k, s); break;
            case Mode::ecr: pick = std::min(k, s); break;
            case Mode::rc16: pick = (s & 1) * 2 + (k & 1); break;
            default: pick = control >> (4 * k) & 7; sign = (control >> (4 * k) & 8) != 0;
        }
        uint32_t byte = static_cast<uint32_t>(bytes >> (8 * pick)) & 0xff;
        if (sign) byte = (byte & 0x80) != 0 ? 0xff : 0;
        result |= byte << (8 * k);
    }
    return result;
}
Exec select_permute(Mode mode) {
    switch (mode) {
        case Mode::f4e: return map3<permute<Mode::f4e>, uint32_t, uint32_t>;
        case Mode::b4e: return map3<permute<Mode::b4e>, uint32_t, uint32_t>;
        case Mode::rc8: return map3<permute<Mode::rc8>, uint32_t, uint32_t>;
        case Mode::ecl: return map3<permute<Mode::ecl>, uint32_t, uint32_t>;
        case Mode::ecr: return map3<permute<Mode::ecr>, uint32_t, uint32_t>;
        case Mode::rc16: return map3<permute<Mode::rc16>, uint32_t, uint32_t>;
        default: return map3<permute<Mode::none>, uint32_t, uint32_t>;
    }
}

template <class T>
const Instr* select_lanes(Warp& w, const Instr* i) {
    const LaneCell<T>* a = cells<T>(w, i->r[1]);
    const LaneCell<T>* b = cells<T>(w, i->r[2]);
    const uint32_t p = read_predicate(w, i->r[3]);
    write_lanes<T>(w, i->r[0], [=](int lane) {
        return static_cast<T>((p >> lane & 1) != 0 ? a[lane] : b[lane]);
    });
    return i + 1;
}
// slct: a where c >= 0; a NaN counts as negative.
template <class T>
T select_by_sign(T a, T b, int32_t c) {
    return c >= 0 ? a : b;
}
template <class T, bool Ftz>
T select_by_float(T a, T b, float c) {
    return c >= 0 || (Ftz && c > -0x1p-126f) ? a : b;
}

template <class T>
Exec select_logic(Op op) {
    using U = std::make_unsigned_t<T>;
    switch (op) {
        case Op::and_: return map2<bit_and<U>, U, U>;
        case Op::or_: return map2<bit_or<U>, U, U>;
        case Op::xor_: return map2<bit_xor<U>, U, U>;
        case Op::not_: return map1<bit_not<U>, U, U>;
        case Op::cnot: return map1<is_zero<U>, U, U>;
        case Op::shl: return map2<shift_left<U>, U, U, uint32_t>;
        case Op::shr: return map2<shift_right<T>, T, T, uint32_t>;
        default: return nullptr;
    }
}

Selected lower_predicates(Lowering& l) {
    const auto& in = *l.in;
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = predicate_source(l, 1);
    if (in.operands.size() > 2) l.out.r[2] = predicate_source(l, 2);
    switch (in.op) {
        case Op::and_: return Exec{predicate_logic<Truth::and_>};
        case Op::or_: return Exec{predicate_logic<Truth::or_>};
        case Op::xor_: return Exec{predicate_logic<Truth::xor_>};
        case Op::not_: return Exec{predicate_not};
        case Op::mov: return Exec{predicate_copy};
        default: return {};
    }
}

Selected lower_table(Lowering& l) {
    const auto& in = *l.in;
    const size_t first = in.modifiers.pair ? 2 : 1;
    l.out.r[0] = destination(l, 0);
    for (size_t k = 0; k < 3; ++k) l.out.r[k + 1] = source(l, first + k, Type::b32);
    l.out.offset = static_cast<int64_t>(in.operands[first + 3].bits & 0xff);
    if (!in.modifiers.pair) return Exec{table_logic<false>};
    l.out.r[4] = destination(l, 1);
    l.out.r[5] = predicate_source(l, first + 4);
    l.out.target = in.modifiers.bool_op == ptx::BoolOp::and_ ? 0
        : in.modifiers.bool_op == ptx::BoolOp::or_           ? 1
                                                             : 2;
    return Exec{table_logic<true>};
}

Selected lower_slct(Lowering& l) {
    const auto& in = *l.in;
    plain_operands(l, in.types[0]);
    l.out.r[3] = source(l, 3, in.types[1]);
    const bool by_float = in.types[1] == Type::f32;
    const bool ftz = in.modifiers.ftz;
    return by_width(in.types[0], [&]<class T>() -> Exec {
        if (!by_float) return map3<select_by_sign<T>, T, T, T, int32_t>;
        return ftz ? map3<select_by_float<T, true>, T, T, T, float>
                   : map3<select_by_float<T, false>, T, T, T, float>;
    });
}

}  // namespace

Selected lower_logic(Lowering& l) {
    const auto& in = *l.in;
    if (in.types.empty()) return {};
    const Type t = in.types[0];
    switch (in.op) {
        case Op::mov: return t == Type::pred ? lower_predicates(l) : Selected{};
        case Op::and_:
        case Op::or_:
        case Op::xor_:
        case Op::not_:
            if (t == Type::pred) return lower_predicates(l);
            [[fallthrough]];
        case Op::cnot:
            plain_operands(l, t);
            return by_integer(t, [&]<class T>() { return select_logic<T>(in.op); });
        case Op::shl:
        case Op::shr:
            plain_operands(l, t);
            l.out.r[2] = source(l, 2, Type::u32);
            return by_integer(t, [&]<class T>() { return select_logic<T>(in.op); });
        case Op::shf: {
            plain_operands(l, Type::b32);
            const bool left = in.modifiers.mode == Mode::l || in.modifiers.mode2 == Mode::l;
            const bool wrap = in.modifiers.mode == Mode::wrap || in.modifiers.mode2 == Mode::wrap;
            if (left)
                return Exec{
                    wrap ? map3<funnel<true, true>, uint32_t, uint32_t>
                         : map3<funnel<true, false>, uint32_t, uint32_t>};
            return Exec{
                wrap ? map3<funnel<false, true>, uint32_t, uint32_t>
                     : map3<funnel<false, false>, uint32_t, uint32_t>};
        }
        case Op::lop3: return lower_table(l);
        case Op::prmt: plain_operands(l, Type::b32); return select_permute(in.modifiers.mode);
        case Op::selp:
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, t);
            l.out.r[2] = source(l, 2, t);
            l.out.r[3] = predicate_source(l, 3);
            return by_width(t, []<class T>() -> Exec { return select_lanes<T>; });
        case Op::slct: return lower_slct(l);
        default: return {};
    }
}

}  // namespace wl::emulator
