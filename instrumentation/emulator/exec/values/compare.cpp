// Models set, setp and testp: PTX ISA 9.7.5, 9.7.6 and 9.7.3.2. Not modelled: nothing.
#include "instrumentation/emulator/exec/types.h"
#include "instrumentation/emulator/exec/values/float32.h"
#include "instrumentation/emulator/exec/values/half.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {
namespace {

using ptx::BoolOp;
using ptx::Compare;
using ptx::Mode;
using ptx::Op;
using ptx::Type;

template <Compare C, class T>
bool holds(T a, T b) {
    switch (C) {
        case Compare::eq: return a == b;
        case Compare::ne: return a != b && a == a && b == b;
        case Compare::lt:
        case Compare::lo: return a < b;
        case Compare::le:
        case Compare::ls: return a <= b;
        case Compare::gt:
        case Compare::hi: return a > b;
        case Compare::ge:
        case Compare::hs: return a >= b;
        case Compare::equ: return !(a < b) && !(a > b);
        case Compare::neu: return a != b;
        case Compare::ltu: return !(a >= b);
        case Compare::leu: return !(a > b);
        case Compare::gtu: return !(a <= b);
        case Compare::geu: return !(a < b);
        case Compare::num: return a == a && b == b;
        case Compare::nan: return a != a || b != b;
        default: return false;
    }
}

// How one operand type is compared: as itself, flushed, or as the float that a half stands for.
template <class T, bool Ftz>
struct Compared {
    using Storage = T;
    static T value(T x) {
        if constexpr (std::is_floating_point_v<T>)
            return flush<Ftz>(x);
        else
            return x;
    }
};
template <bool Ftz>
struct Compared<Half, Ftz> {
    using Storage = uint16_t;
    static float value(uint16_t x) { return half_value<Ftz>(x); }
};
template <bool Ftz>
struct Compared<Bf16, Ftz> {
    using Storage = uint16_t;
    static float value(uint16_t x) { return brain_value(x); }
};

// Shift 16: the high halves of packed pairs.
template <Compare C, class V, int Shift = 0>
uint32_t compare_lanes(Warp& w, const Instr* i) {
    using S = typename V::Storage;
    const LaneCell<S>* a = cells<S>(w, i->r[2]);
    const LaneCell<S>* b = cells<S>(w, i->r[3]);
    const auto value = [](LaneCell<S> cell) {
        if constexpr (Shift != 0)
            return V::value(unpack<S>(cell >> Shift));
        else
            return V::value(unpack<S>(cell));
    };
    return mask_of([=](int lane) { return holds<C>(value(a[lane]), value(b[lane])); });
}

uint32_t combine(BoolOp op, uint32_t t, uint32_t c) {
    switch (op) {
        case BoolOp::and_: return t & c;
        case BoolOp::or_: return t | c;
        case BoolOp::xor_: return t ^ c;
        default: return t;
    }
}

// setp p[|q], a, b[, c]: r = {p, q, a, b, c}; offset: BoolOp; target != 0: there is a q.
template <Compare C, class V>
const Instr* set_predicate(Warp& w, const Instr* i) {
    const uint32_t t = compare_lanes<C, V>(w, i);
    if (i->offset == 0 && i->target == 0) [[likely]] {
        write_predicate(w, i->r[0], t);
        return i + 1;
    }
    const auto op = static_cast<BoolOp>(i->offset);
    const uint32_t c = op == BoolOp::none ? 0 : read_predicate(w, i->r[4]);
    write_predicate(w, i->r[0], combine(op, t, c));
    if (i->target != 0) write_predicate(w, i->r[1], combine(op, ~t, c));
    return i + 1;
}
// setp of packed halves: p is the low pair's result, q the high one's.
template <Compare C, class V>
const Instr* set_predicate_pair(Warp& w, const Instr* i) {
    const uint32_t low = compare_lanes<C, V>(w, i);
    const uint32_t high = compare_lanes<C, V, 16>(w, i);
    const auto op = static_cast<BoolOp>(i->offset);
    const uint32_t c = op == BoolOp::none ? 0 : read_predicate(w, i->r[4]);
    write_predicate(w, i->r[0], combine(op, low, c));
    write_predicate(w, i->r[1], combine(op, high, c));
    return i + 1;
}
// set d, a, b[, c]: r[1] selects what true is: 0: all ones, else the bit pattern of 1.
template <Compare C, class V>
const Instr* set_value(Warp& w, const Instr* i) {
    const auto op = static_cast<BoolOp>(i->offset);
    const uint32_t c = op == BoolOp::none ? 0 : read_predicate(w, i->r[4]);
    const uint32_t t = combine(op, compare_lanes<C, V>(w, i), c);
    const uint32_t yes = i->r[1];
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) { return (t >> lane & 1) != 0 ? yes : 0u; });
    return i + 1;
}
template <Compare C, class V>
const Instr* set_value_pair(Warp& w, const Instr* i) {
    const auto op = static_cast<BoolOp>(i->offset);
    const uint32_t c = op == BoolOp::none ? 0 : read_predicate(w, i->r[4]);
    const uint32_t low = combine(op, compare_lanes<C, V>(w, i), c);
    const uint32_t high = combine(op, compare_lanes<C, V, 16>(w, i), c);
    const uint32_t yes = i->r[1] & 0xffff;
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) {
        return ((low >> lane & 1) != 0 ? yes : 0u) | ((high >> lane & 1) != 0 ? yes << 16 : 0u);
    });
    return i + 1;
}

enum class Shape { predicate, value, pair, value_pair };

template <class V, Shape S, Compare C>
Exec shaped() {
    if constexpr (S == Shape::predicate)
        return set_predicate<C, V>;
    else if constexpr (S == Shape::value)
        return set_value<C, V>;
    else if constexpr (S == Shape::pair)
        return set_predicate_pair<C, V>;
    else
        return set_value_pair<C, V>;
}
template <class V, Shape S>
Exec by_compare(Compare c) {
    constexpr bool kFloat = std::is_floating_point_v<decltype(V::value({}))>;
    switch (c) {
        case Compare::eq: return shaped<V, S, Compare::eq>();
        case Compare::ne: return shaped<V, S, Compare::ne>();
        case Compare::lt:
        case Compare::lo: return shaped<V, S, Compare::lt>();
        case Compare::le:
        case Compare::ls: return shaped<V, S, Compare::le>();
        case Compare::gt:
        case Compare::hi: return shaped<V, S, Compare::gt>();
        case Compare::ge:
        case Compare::hs: return shaped<V, S, Compare::ge>();
        default: break;
    }
    if constexpr (kFloat) {
        switch (c) {
            case Compare::equ: return shaped<V, S, Compare::equ>();
            case Compare::neu: return shaped<V, S, Compare::neu>();
            case Compare::ltu: return shaped<V, S, Compare::ltu>();
            case Compare::leu: return shaped<V, S, Compare::leu>();
            case Compare::gtu: return shaped<V, S, Compare::gtu>();
            case Compare::geu: return shaped<V, S, Compare::geu>();
            case Compare::num: return shaped<V, S, Compare::num>();
            case Compare::nan: return shaped<V, S, Compare::nan>();
            default: break;
        }
    }
    return nullptr;
}

template <Shape S>
Exec by_type(Type t, const ptx::Modifiers& m) {
    const Compare c = m.compare;
    switch (t) {
        case Type::f32:
            return m.ftz ? by_compare<Compared<float, true>, S>(c) : by_compare<Compared<float, false>, S>(c);
        case Type::f64: return by_compare<Compared<double, false>, S>(c);
        case Type::f16:
            return m.ftz ? by_compare<Compared<Half, true>, S>(c) : by_compare<Compared<Half, false>, S>(c);
        case Type::bf16: return by_compare<Compared<Bf16, false>, S>(c);
        default:
            return by_integer(t, [&]<class T>() -> Exec { return by_compare<Compared<T, false>, S>(c); });
    }
}
template <Shape S>
Exec by_packed_type(Type t, const ptx::Modifiers& m) {
    if (t == Type::bf16x2) return by_compare<Compared<Bf16, false>, S>(m.compare);
    return m.ftz ? by_compare<Compared<Half, true>, S>(m.compare)
                 : by_compare<Compared<Half, false>, S>(m.compare);
}
bool is_packed(Type t) { return t == Type::f16x2 || t == Type::bf16x2; }

Selected lower_setp(Lowering& l) {
    const auto& in = *l.in;
    const Type t = in.types[0];
    size_t k = 0;
    l.out.r[0] = destination(l, k++);
    if (in.modifiers.pair) {
        l.out.r[1] = destination(l, k++);
        l.out.target = 1;
    }
    l.out.r[2] = source(l, k++, t);
    l.out.r[3] = source(l, k++, t);
    l.out.offset = static_cast<int64_t>(in.modifiers.bool_op);
    if (in.modifiers.bool_op != BoolOp::none) l.out.r[4] = predicate_source(l, k);
    if (is_packed(t)) return by_packed_type<Shape::pair>(t, in.modifiers);
    return by_type<Shape::predicate>(t, in.modifiers);
}

Selected lower_set(Lowering& l) {
    const auto& in = *l.in;
    if (in.types.size() < 2) return {};
    const Type to = in.types[0], from = in.types[1];
    l.out.r[0] = destination(l, 0);
    l.out.r[2] = source(l, 1, from);
    l.out.r[3] = source(l, 2, from);
    l.out.offset = static_cast<int64_t>(in.modifiers.bool_op);
    if (in.modifiers.bool_op != BoolOp::none) l.out.r[4] = predicate_source(l, 3);
    switch (to) {
        case Type::f32: l.out.r[1] = 0x3f800000; break;
        case Type::f16:
        case Type::f16x2: l.out.r[1] = 0x3c00; break;
        case Type::bf16:
        case Type::bf16x2: l.out.r[1] = 0x3f80; break;
        case Type::u16:
        case Type::s16: l.out.r[1] = 0xffff; break;
        default: l.out.r[1] = ~0u;
    }
    if (is_packed(from)) return by_packed_type<Shape::value_pair>(from, in.modifiers);
    return by_type<Shape::value>(from, in.modifiers);
}

template <class U, Mode M>
bool has_property(U bits) {
    constexpr int kMantissa = sizeof(U) == 4 ? 23 : 52;
    constexpr U kExponent = sizeof(U) == 4 ? 0xff : 0x7ff;
    const U exponent = bits >> kMantissa & kExponent;
    const bool fraction = (bits & ((U{1} << kMantissa) - 1)) != 0;
    switch (M) {
        case Mode::finite: return exponent != kExponent;
        case Mode::infinite: return exponent == kExponent && !fraction;
        case Mode::number: return exponent != kExponent || !fraction;
        case Mode::notanumber: return exponent == kExponent && fraction;
        case Mode::normal: return exponent != kExponent && (exponent != 0 || !fraction);  // zeros too
        default: return exponent == 0 && fraction;
    }
}
template <class U, Mode M>
const Instr* test_property(Warp& w, const Instr* i) {
    const U* a = cells<U>(w, i->r[1]);
    write_predicate(w, i->r[0], mask_of([=](int lane) { return has_property<U, M>(a[lane]); }));
    return i + 1;
}
template <class T>
Exec select_test(Mode mode) {
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    switch (mode) {
        case Mode::finite: return test_property<U, Mode::finite>;
        case Mode::infinite: return test_property<U, Mode::infinite>;
        case Mode::number: return test_property<U, Mode::number>;
        case Mode::notanumber: return test_property<U, Mode::notanumber>;
        case Mode::normal: return test_property<U, Mode::normal>;
        case Mode::subnormal: return test_property<U, Mode::subnormal>;
        default: return nullptr;
    }
}

}  // namespace

Selected lower_compare(Lowering& l) {
    const auto& in = *l.in;
    if (in.types.empty()) return {};
    switch (in.op) {
        case Op::setp: return lower_setp(l);
        case Op::set: return lower_set(l);
        case Op::testp:
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, in.types[0]);
            return by_float(in.types[0], [&]<class T>() { return select_test<T>(in.modifiers.mode); });
        default: return {};
    }
}

}  // namespace wl::emulator
