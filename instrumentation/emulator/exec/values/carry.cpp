// Models extended-precision arithmetic through the condition code CC.CF: PTX ISA 9.7.2. Not modelled:
// nothing.
#include "instrumentation/emulator/exec/types.h"
#include "instrumentation/emulator/exec/values/integer.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;

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

}  // namespace

Selected lower_carry(Lowering& l) {
    const auto& in = *l.in;
    const bool chained = in.op == Op::addc || in.op == Op::subc || in.op == Op::madc;
    const bool starts = in.modifiers.cc && (in.op == Op::add || in.op == Op::sub || in.op == Op::mad);
    if ((!chained && !starts) || in.types.empty()) return {};
    plain_operands(l, in.types[0]);
    l.out.r[5] = in.modifiers.cc ? 1 : 0;
    return select_extended(in);
}

}  // namespace wl::emulator
