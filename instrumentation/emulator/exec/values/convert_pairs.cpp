// Models cvt to two floats of 8 or 16 bits in one register, and cvt.pack: PTX ISA 9.7.9.21-22, one element
// after the other. Not modelled: .rs rounding, formats of 4 and 6 bits.
#include "instrumentation/emulator/exec/values/convert.h"
#include "instrumentation/emulator/machine/simd.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

// What a pair is made of; Type::none: not a pair.
Type element_of(Type pair) {
    switch (pair) {
        case Type::f16x2: return Type::f16;
        case Type::bf16x2: return Type::bf16;
        case Type::e4m3x2: return Type::e4m3;
        case Type::e5m2x2: return Type::e5m2;
        default: return Type::none;
    }
}

// r = {d, upper element, lower element}; from a pair: {d, both}.
const Instr* convert_pairs(Warp& w, const Instr* i) {
    const Conversion c = std::bit_cast<Conversion>(i->offset);
    const uint32_t from_bits = 8 * ptx::bytes_of(c.from), to_bits = 8 * ptx::bytes_of(c.to);
    const uint32_t *upper = cells<uint32_t>(w, i->r[1]), *lower = cells<uint32_t>(w, i->r[2]);
    uint32_t* d = cells<uint32_t>(w, i->r[0]);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const uint32_t high = c.joined ? upper[lane] >> from_bits : upper[lane];
        const uint32_t low = c.joined ? upper[lane] : lower[lane];
        d[lane] = static_cast<uint32_t>(convert_one(c, high) << to_bits | convert_one(c, low));
    }
    return i + 1;
}

struct PackedInteger {
    int bits = 16;
    bool is_signed = false;
};
PackedInteger packed_integer(Type t) {
    switch (t) {
        case Type::u2: return {2, false};
        case Type::s2: return {2, true};
        case Type::u4: return {4, false};
        case Type::s4: return {4, true};
        case Type::u8: return {8, false};
        case Type::s8: return {8, true};
        case Type::u16: return {16, false};
        default: return {16, true};
    }
}

// r = {d, a, b, c}: d = c, clamped a, clamped b, from the top. offset: bits of an element, target: signed.
const Instr* pack_integers(Warp& w, const Instr* i) {
    const auto bits = static_cast<int>(i->offset);
    const int32_t most = i->target != 0 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    const int32_t least = i->target != 0 ? -(1 << (bits - 1)) : 0;
    const uint32_t mask = (1u << bits) - 1;
    const int32_t *a = cells<int32_t>(w, i->r[1]), *b = cells<int32_t>(w, i->r[2]);
    const uint32_t* c = cells<uint32_t>(w, i->r[3]);
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) {
        const uint32_t high = static_cast<uint32_t>(std::clamp(a[lane], least, most)) & mask;
        const uint32_t low = static_cast<uint32_t>(std::clamp(b[lane], least, most)) & mask;
        return static_cast<uint32_t>(uint64_t{c[lane]} << (2 * bits)) | high << bits | low;
    });
    return i + 1;
}

Selected lower_pack(Lowering& l) {
    const auto& in = *l.in;
    const PackedInteger element = packed_integer(in.types[0]);
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = source(l, 1, Type::s32);
    l.out.r[2] = source(l, 2, Type::s32);
    l.out.r[3] = in.operands.size() > 3 ? source(l, 3, Type::b32) : constant(l, 4, 0);
    l.out.offset = element.bits;
    l.out.target = element.is_signed ? 1 : 0;
    return Exec{pack_integers};
}

}  // namespace

Selected lower_pair_conversion(Lowering& l) {
    const auto& in = *l.in;
    if (in.op == Op::cvt_pack) return lower_pack(l);
    Conversion c = conversion_of(in);
    c.joined = element_of(c.from) != Type::none;
    if (c.joined) c.from = element_of(c.from);
    c.to = element_of(c.to);
    const size_t sources = c.joined ? 1 : 2;
    if (c.to == Type::none || (!c.joined && c.from != Type::f32)) return {};
    if (c.rounding == ptx::Rounding::rs || in.operands.size() != sources + 1) return {};
    for (size_t k = 0; k < sources; ++k) l.out.r[1 + k] = source(l, 1 + k, in.types[1]);
    if (c.joined) l.out.r[2] = l.out.r[1];
    l.out.r[0] = destination(l, 0);
    l.out.offset = std::bit_cast<int64_t>(c);
    return Exec{convert_pairs};
}

}  // namespace wl::emulator
