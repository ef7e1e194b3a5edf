// Models mov with packing and unpacking, cvta and isspacep, clocks: PTX ISA 9.7.9.2-9.7.9.20. Not modelled:
// how long an instruction takes.
#include "instrumentation/emulator/exec/types.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Space;
using ptx::SpecialRegister;
using ptx::Type;
using Kind = ptx::Operand::Kind;

template <class T>
T same(T x) {
    return x;
}

// {r[0], r[1], ...} = the parts of r[4], low part first.
template <class T, int Parts>
const Instr* unpack_parts(Warp& w, const Instr* i) {
    constexpr int kBits = 8 * sizeof(T) / Parts;
    using Part = std::conditional_t<kBits == 32, uint32_t, uint16_t>;
    constexpr uint32_t kMask = kBits == 32 ? 0xffffffff : (1u << (kBits & 31)) - 1;
    alignas(64) LaneCell<T> value[kLanes];
    const LaneCell<T>* s = cells<T>(w, i->r[4]);
    WL_FOR_LANES value[lane] = s[lane];
    for (int p = 0; p < Parts; ++p)
        write_lanes<Part>(w, i->r[p], [&](int lane) {
            return static_cast<Part>(value[lane] >> (p * kBits) & kMask);
        });
    return i + 1;
}
// r[4] = {r[0], r[1], ...}.
template <class T, int Parts>
const Instr* pack_parts(Warp& w, const Instr* i) {
    constexpr int kBits = 8 * sizeof(T) / Parts;
    constexpr uint32_t kMask = kBits == 32 ? 0xffffffff : (1u << (kBits & 31)) - 1;
    alignas(64) LaneCell<T> value[kLanes] = {};
    for (int p = 0; p < Parts; ++p) {
        const uint32_t* s = cells<uint32_t>(w, i->r[p]);
        WL_FOR_LANES value[lane] |= static_cast<LaneCell<T>>(s[lane] & kMask) << (p * kBits);
    }
    write_lanes<T>(w, i->r[4], [&](int lane) { return static_cast<T>(value[lane]); });
    return i + 1;
}

// r[0], r[1] = r[2], r[3]: the two halves of 16 bytes.
const Instr* move_halves(Warp& w, const Instr* i) {
    for (int half = 0; half < 2; ++half) {
        const uint64_t* s = cells<uint64_t>(w, i->r[2 + half]);
        write_lanes<uint64_t>(w, i->r[half], [=](int lane) { return s[lane]; });
    }
    return i + 1;
}

// 16 bytes from or to four registers of 4; r[4] is the first plane.
const Instr* pack_quarters(Warp& w, const Instr* i) {
    for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t *low = cells<uint32_t>(w, i->r[2 * half]),
                       *high = cells<uint32_t>(w, i->r[2 * half + 1]);
        write_lanes<uint64_t>(w, i->r[4] + half * kPlane, [=](int lane) {
            return uint64_t{high[lane]} << 32 | low[lane];
        });
    }
    return i + 1;
}
const Instr* unpack_quarters(Warp& w, const Instr* i) {
    for (uint32_t part = 0; part < 4; ++part) {
        const uint64_t* s = cells<uint64_t>(w, i->r[4] + part / 2 * kPlane);
        write_lanes<uint32_t>(w, i->r[part], [=](int lane) {
            return static_cast<uint32_t>(s[lane] >> part % 2 * 32);
        });
    }
    return i + 1;
}

// Elements to elements; all are read before one is written.
template <class T>
const Instr* move_elements(Warp& w, const Instr* i) {
    const std::vector<uint32_t>& slots = w.block->context.program->lists[static_cast<size_t>(i->target)];
    const size_t count = slots.size() / 2;
    alignas(64) LaneCell<T> values[4][kLanes];
    for (size_t k = 0; k < count; ++k) {
        const LaneCell<T>* s = cells<T>(w, slots[count + k]);
        WL_FOR_LANES values[k][lane] = s[lane];
    }
    for (size_t k = 0; k < count; ++k)
        write_lanes<T>(w, slots[k], [&](int lane) { return static_cast<T>(values[k][lane]); });
    return i + 1;
}

// A warp of a full multiprocessor passes 8.2 cycles an instruction where it does nothing but ask the clock,
// one that is alone 2.2 (docs/measured/clock-rate-h200.json): what waits for a time waits for as many turns
// as there.
constexpr uint64_t kCyclesOfInstruction = 8, kCyclesOfNanosecond = 2;

template <class T, int Shift, uint64_t CyclesOfUnit>
const Instr* read_clock(Warp& w, const Instr* i) {
    const uint64_t cycles = time_at(w, i) * kCyclesOfInstruction + w.slept * kCyclesOfNanosecond;
    const T now = static_cast<T>((cycles / CyclesOfUnit) >> Shift);
    write_lanes<T>(w, i->r[0], [=](int) { return now; });
    return i + 1;
}

Exec select_parts(bool unpacks, uint32_t bytes, size_t parts) {
    if (bytes == 2 && parts == 2) return unpacks ? unpack_parts<uint16_t, 2> : pack_parts<uint16_t, 2>;
    if (bytes == 4 && parts == 2) return unpacks ? unpack_parts<uint32_t, 2> : pack_parts<uint32_t, 2>;
    if (bytes == 8 && parts == 2) return unpacks ? unpack_parts<uint64_t, 2> : pack_parts<uint64_t, 2>;
    if (bytes == 8 && parts == 4) return unpacks ? unpack_parts<uint64_t, 4> : pack_parts<uint64_t, 4>;
    if (bytes == 4 && parts == 4) return unpacks ? unpack_parts<uint32_t, 4> : pack_parts<uint32_t, 4>;
    return nullptr;
}

Selected lower_parts(Lowering& l, bool unpacks) {
    const auto& in = *l.in;
    const auto& vector = in.operands[unpacks ? 0 : 1];
    if (vector.elements.size() > 4) return {};
    for (size_t p = 0; p < vector.elements.size(); ++p) {
        const auto& part = vector.elements[p];
        l.out.r[p] = unpacks ? destination(l, part) : source(l, part, Type::b32);
    }
    l.out.r[4] = unpacks ? source(l, 1, in.types[0]) : destination(l, 0);
    return select_parts(unpacks, ptx::bytes_of(in.types[0]), vector.elements.size());
}

// mov.b128 between registers of 16 bytes, or between one and a vector of 8 or 4 bytes.
Selected lower_wide_mov(Lowering& l) {
    const auto slots_of = [&](size_t k) {
        const auto& o = l.in->operands[k];
        const Type t = o.kind != Kind::vector ? Type::b128 : o.elements.size() == 2 ? Type::b64 : Type::b32;
        return vector_slots(l, o, t, k == 0);
    };
    const std::vector<uint32_t> to = slots_of(0), from = slots_of(1);
    if (to.size() == 2 && from.size() == 2) {
        std::copy(to.begin(), to.end(), l.out.r);
        std::copy(from.begin(), from.end(), l.out.r + 2);
        return Exec{move_halves};
    }
    const bool unpacks = to.size() == 4;
    if (to.size() + from.size() != 6) return {};
    std::copy_n(unpacks ? to.begin() : from.begin(), 4, l.out.r);
    l.out.r[4] = unpacks ? from[0] : to[0];
    return Exec{unpacks ? unpack_quarters : pack_quarters};
}

Selected lower_elements(Lowering& l) {
    const Type t = l.in->types[0];
    std::vector<uint32_t> slots = vector_slots(l, l.in->operands[0], t, true);
    const std::vector<uint32_t> from = vector_slots(l, l.in->operands[1], t, false);
    if (slots.size() != from.size() || slots.size() > 4) return {};
    slots.insert(slots.end(), from.begin(), from.end());
    l.out.target = static_cast<int32_t>(l.program.lists.size());
    l.program.lists.push_back(std::move(slots));
    return by_width(t, []<class T>() -> Exec { return move_elements<T>; });
}

Exec clock_reader(SpecialRegister which) {
    switch (which) {
        case SpecialRegister::clock: return read_clock<uint32_t, 0, 1>;
        case SpecialRegister::clock_hi: return read_clock<uint32_t, 32, 1>;
        case SpecialRegister::clock64: return read_clock<uint64_t, 0, 1>;
        case SpecialRegister::globaltimer_lo: return read_clock<uint32_t, 0, kCyclesOfNanosecond>;
        case SpecialRegister::globaltimer_hi: return read_clock<uint32_t, 32, kCyclesOfNanosecond>;
        case SpecialRegister::globaltimer: return read_clock<uint64_t, 0, kCyclesOfNanosecond>;
        default: return nullptr;
    }
}

Selected lower_mov(Lowering& l) {
    const auto& in = *l.in;
    if (in.operands.size() < 2) return {};
    if (in.types[0] == Type::b128) return lower_wide_mov(l);
    if (in.modifiers.vector > 1) return lower_elements(l);
    const auto& from = in.operands[1];
    if (in.operands[0].kind == Kind::vector) return lower_parts(l, true);
    if (from.kind == Kind::vector) return lower_parts(l, false);
    if (from.kind == Kind::label) return {};
    l.out.r[0] = destination(l, 0);
    if (from.kind == Kind::special) {
        if (const Exec clock = clock_reader(static_cast<SpecialRegister>(from.index))) return clock;
    }
    l.out.r[1] = source(l, 1, in.types[0]);
    return by_width(in.types[0], []<class T>() -> Exec { return map1<same<T>, T, T>; });
}

uint64_t window_base(Space space) {
    switch (space) {
        case Space::shared: return kSharedBase;
        case Space::local: return kLocalBase;
        case Space::constant: return kConstantBase;
        case Space::param: return kParamBase;
        default: return 0;
    }
}

template <bool ToGeneric>
const Instr* convert_address(Warp& w, const Instr* i) {
    const auto base = static_cast<uint64_t>(i->offset);
    const uint64_t* a = cells<uint64_t>(w, i->r[1]);
    write_lanes<uint64_t>(w, i->r[0], [=](int lane) { return ToGeneric ? a[lane] + base : a[lane] - base; });
    return i + 1;
}
// Parameters of the entry lie in global memory too (measured).
const Instr* is_in_space(Warp& w, const Instr* i) {
    const uint64_t* a = cells<uint64_t>(w, i->r[1]);
    const auto base = static_cast<uint64_t>(i->offset);
    const uint64_t second = base == 0 ? kParamBase : base;
    write_predicate(w, i->r[0], mask_of([=](int lane) {
                        const uint64_t window = a[lane] & kWindowMask;
                        return window == base || window == second;
                    }));
    return i + 1;
}

}  // namespace

Selected lower_move(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::mov: return in.types.empty() || in.types[0] == Type::pred ? Selected{} : lower_mov(l);
        case Op::cvta:
            if (in.types.empty() || ptx::bytes_of(in.types[0]) != 8) return {};
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, Type::u64);
            l.out.offset = static_cast<int64_t>(window_base(in.modifiers.space));
            return Exec{in.modifiers.mode == Mode::to ? convert_address<false> : convert_address<true>};
        case Op::isspacep:
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, Type::u64);
            l.out.offset = static_cast<int64_t>(window_base(in.modifiers.space));
            return Exec{is_in_space};
        default: return {};
    }
}

}  // namespace wl::emulator
