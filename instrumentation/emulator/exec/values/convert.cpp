// Models cvt between all integer types and floats of 8 to 64 bits: PTX ISA 9.7.9.21, roundings, ftz and
// saturation included; common pairs have a direct executor here, convert_any.cpp and convert_pairs.cpp do the
// rest. Not modelled: .rs rounding.
#include "instrumentation/emulator/exec/values/convert.h"

#include "instrumentation/emulator/exec/values/float32.h"
#include "instrumentation/emulator/exec/values/half.h"
#include "instrumentation/emulator/machine/simd.h"

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Rounding;
using ptx::Type;

template <class T>
T identity(T x) {
    return x;
}

// f.operator()<T>() for the C++ type of an integer type of any width.
template <class F>
Exec by_any_integer(Type t, F f) {
    switch (t) {
        case Type::u8:
        case Type::b8: return f.template operator()<uint8_t>();
        case Type::s8: return f.template operator()<int8_t>();
        case Type::u16:
        case Type::b16: return f.template operator()<uint16_t>();
        case Type::s16: return f.template operator()<int16_t>();
        case Type::u32:
        case Type::b32: return f.template operator()<uint32_t>();
        case Type::s32: return f.template operator()<int32_t>();
        case Type::u64:
        case Type::b64: return f.template operator()<uint64_t>();
        case Type::s64: return f.template operator()<int64_t>();
        default: return nullptr;
    }
}

template <class To, class From>
To convert_plain(From x) {
    return static_cast<To>(x);
}

template <bool Ftz>
const Instr* half_to_single(Warp& w, const Instr* i) {
    alignas(64) float values[kLanes];
    halves_to_floats(cells<uint32_t>(w, i->r[1]), values);
    write_lanes<float>(w, i->r[0], [&](int lane) { return canonical(values[lane]); });
    return i + 1;
}

template <int Round>
const Instr* single_to_half(Warp& w, const Instr* i) {
    alignas(64) uint32_t halves[kLanes];
    floats_to_halves<Round>(cells<float>(w, i->r[1]), halves);
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return halves[lane]; });
    return i + 1;
}
// cvt.f16x2.f32 d, a, b: a becomes the high half.
template <int Round>
const Instr* singles_to_halves(Warp& w, const Instr* i) {
    alignas(64) uint32_t high[kLanes];
    alignas(64) uint32_t low[kLanes];
    floats_to_halves<Round>(cells<float>(w, i->r[1]), high);
    floats_to_halves<Round>(cells<float>(w, i->r[2]), low);
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return high[lane] << 16 | low[lane]; });
    return i + 1;
}
template <int Round>
uint32_t pack_brains(float high, float low) {
    return uint32_t{float_to_brain<Round>(high)} << 16 | float_to_brain<Round>(low);
}

Exec direct_to_half(const ptx::Instruction& in) {
    const bool nearest = in.modifiers.rounding == Rounding::rn;
    const bool zero = in.modifiers.rounding == Rounding::rz;
    if (!nearest && !zero) return nullptr;
    switch (in.types[0]) {
        case Type::f16: return nearest ? single_to_half<0> : single_to_half<3>;
        case Type::f16x2: return nearest ? singles_to_halves<0> : singles_to_halves<3>;
        case Type::bf16:
            return nearest ? map1<float_to_brain<0>, uint16_t, float>
                           : map1<float_to_brain<3>, uint16_t, float>;
        case Type::bf16x2:
            return nearest ? map2<pack_brains<0>, uint32_t, float> : map2<pack_brains<3>, uint32_t, float>;
        default: return nullptr;
    }
}

Exec direct_float(const ptx::Instruction& in) {
    const Type to = in.types[0], from = in.types[1];
    const auto& m = in.modifiers;
    if (m.sat || m.ftz || m.relu || m.satfinite) return nullptr;
    if (from == Type::f32 && ptx::bytes_of(to) <= 4 && to != Type::f32) return direct_to_half(in);
    if (to == Type::f32 && from == Type::f32 && m.rounding == Rounding::none)
        return map1<identity<uint32_t>, uint32_t, uint32_t>;
    if (to == Type::f32 && from == Type::f16) return half_to_single<false>;
    if (to == Type::f32 && from == Type::bf16) return map1<brain_value, float, uint16_t>;
    if (to == Type::f64 && from == Type::f32) return map1<convert_plain<double, float>, double, float>;
    if (m.rounding != Rounding::rn) return nullptr;
    if (to == Type::f32 && from == Type::f64) { return map1<convert_plain<float, double>, float, double>; }
    if (to == Type::f32 && from == Type::s32) return map1<convert_plain<float, int32_t>, float, int32_t>;
    if (to == Type::f32 && from == Type::u32) return map1<convert_plain<float, uint32_t>, float, uint32_t>;
    if (to == Type::f64 && from == Type::s32) return map1<convert_plain<double, int32_t>, double, int32_t>;
    return nullptr;
}

Exec direct_integer(const ptx::Instruction& in) {
    return by_any_integer(in.types[0], [&]<class To>() {
        return by_any_integer(in.types[1], []<class From>() -> Exec {
            return map1<convert_plain<To, From>, To, From>;
        });
    });
}

}  // namespace

Selected lower_convert(Lowering& l) {
    const auto& in = *l.in;
    if (in.op == Op::cvt_pack) return lower_pair_conversion(l);
    if (in.op != Op::cvt || in.types.size() < 2 || in.operands.size() < 2) return {};
    const Type to = in.types[0], from = in.types[1];
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = source(l, 1, from);
    if (in.operands.size() > 2) l.out.r[2] = source(l, 2, from);
    const bool natural = is_wide(l, in.operands[0]) == (ptx::bytes_of(to) == 8) &&
        (in.operands[1].kind != ptx::Operand::Kind::reg ||
         is_wide(l, in.operands[1]) == (ptx::bytes_of(from) == 8));
    if (natural && !in.modifiers.sat && is_integer(to) && is_integer(from)) {
        // A signed type narrower than its register is sign-extended into it.
        if (ptx::bytes_of(to) >= 4 || !is_signed(to)) return direct_integer(in);
    }
    if (natural) {
        if (const Exec exec = direct_float(in)) return exec;
    }
    if (const Selected pair = lower_pair_conversion(l)) return pair;
    return lower_any_conversion(l);
}

}  // namespace wl::emulator
