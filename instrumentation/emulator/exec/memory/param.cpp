// Models ld.param and st.param of what calls pass: PTX ISA 5.1.6, 9.7.9.8. A parameter is rows of 4-byte
// cells, word k of all lanes in row k, so that an access moves cells. Not modelled: 16-byte elements.
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;
using Kind = ptx::Operand::Kind;

// r[0..3]: the registers; r[4]: the first row; offset: bytes from its begin; target: elements.
inline const uint32_t* row(Warp& w, const Instr* i, size_t byte) {
    return cells<uint32_t>(w, i->r[4] + static_cast<uint32_t>(byte / 4) * kRow);
}

template <class Memory, class Register>
const Instr* load_param(Warp& w, const Instr* i) {
    for (int c = 0; c < i->target; ++c) {
        const size_t at = static_cast<size_t>(i->offset) + static_cast<size_t>(c) * sizeof(Memory);
        const uint32_t* low = row(w, i, at);
        if constexpr (sizeof(Memory) == 8) {
            const uint32_t* high = row(w, i, at + 4);
            write_lanes<uint64_t>(w, i->r[c], [=](int lane) {
                return uint64_t{high[lane]} << 32 | low[lane];
            });
        } else {
            const int shift = static_cast<int>(at % 4 * 8);
            write_lanes<Register>(w, i->r[c], [=](int lane) {
                return static_cast<Register>(static_cast<Memory>(low[lane] >> shift));
            });
        }
    }
    return i + 1;
}

template <class Memory, class Register>
const Instr* store_param(Warp& w, const Instr* i) {
    for (int c = 0; c < i->target; ++c) {
        const size_t at = static_cast<size_t>(i->offset) + static_cast<size_t>(c) * sizeof(Memory);
        const auto slot = i->r[4] + static_cast<uint32_t>(at / 4) * kRow;
        const LaneCell<Register>* value = cells<Register>(w, i->r[c]);
        if constexpr (sizeof(Memory) == 8) {
            write_lanes<uint32_t>(w, slot, [=](int lane) { return static_cast<uint32_t>(value[lane]); });
            write_lanes<uint32_t>(w, slot + kRow, [=](int lane) {
                return static_cast<uint32_t>(value[lane] >> 32);
            });
        } else {
            const int shift = static_cast<int>(at % 4 * 8);
            constexpr uint32_t kOnes = sizeof(Memory) == 4 ? ~0u : (1u << (8 * sizeof(Memory) & 31)) - 1;
            const uint32_t kept = ~(kOnes << shift);
            const uint32_t* before = cells<uint32_t>(w, slot);
            write_lanes<uint32_t>(w, slot, [=](int lane) {
                return (before[lane] & kept) | (static_cast<uint32_t>(value[lane]) & kOnes) << shift;
            });
        }
    }
    return i + 1;
}

template <class Memory>
Exec select(bool stores, bool wide) {
    if (stores) return wide ? store_param<Memory, uint64_t> : store_param<Memory, uint32_t>;
    if (wide) {
        using Register = std::conditional_t<std::is_signed_v<Memory>, int64_t, uint64_t>;
        return load_param<Memory, Register>;
    }
    using Register = std::conditional_t<std::is_signed_v<Memory>, int32_t, uint32_t>;
    return load_param<Memory, Register>;
}

Exec select(Type t, bool stores, bool wide) {
    const bool is_signed = t == Type::s8 || t == Type::s16 || t == Type::s32;
    switch (ptx::bytes_of(t)) {
        case 1: return is_signed ? select<int8_t>(stores, wide) : select<uint8_t>(stores, wide);
        case 2: return is_signed ? select<int16_t>(stores, wide) : select<uint16_t>(stores, wide);
        case 4: return is_signed ? select<int32_t>(stores, wide) : select<uint32_t>(stores, wide);
        case 8: return stores ? store_param<uint64_t, uint64_t> : load_param<uint64_t, uint64_t>;
        default: return nullptr;
    }
}

// Where the parameter lies that an address operand names, and how large it is; bytes 0: it is not in rows.
struct Named {
    uint32_t slot = 0;
    uint64_t bytes = 0;
};
Named named(const Lowering& l, const ptx::Operand& o) {
    const auto index = static_cast<size_t>(o.index);
    const auto in_rows = [&](const std::vector<Placed>& places, const std::vector<ptx::Variable>& variables) {
        if (index >= places.size() || !places[index].rows) return Named{};
        return Named{static_cast<uint32_t>(places[index].offset), variables[index].bytes};
    };
    if (o.kind != Kind::address) return {};
    if (o.base_kind == Kind::param) return in_rows(l.params, l.function.params);
    if (o.base_kind == Kind::result) return in_rows(l.results, l.function.results);
    if (o.base_kind == Kind::symbol && o.local) return in_rows(l.function_variables, l.function.variables);
    return {};
}

}  // namespace

Selected lower_param(Lowering& l) {
    const auto& in = *l.in;
    if ((in.op != Op::ld && in.op != Op::st) || in.types.empty() || in.operands.size() < 2) return {};
    const bool stores = in.op == Op::st;
    const Named where = named(l, in.operands[stores ? 0 : 1]);
    const Type t = in.types.back();
    const int64_t offset = in.operands[stores ? 0 : 1].offset;
    const uint64_t bytes = uint64_t{ptx::bytes_of(t)} * in.modifiers.vector;
    const bool inside = offset >= 0 && static_cast<uint64_t>(offset) + bytes <= where.bytes;
    if (where.bytes == 0 || !inside || offset % ptx::bytes_of(t) != 0 || in.modifiers.vector > 4) return {};
    const auto& data = in.operands[stores ? 1 : 0];
    const bool vector = data.kind == Kind::vector;
    if (vector && data.elements.size() != in.modifiers.vector) return {};
    bool wide = ptx::bytes_of(t) == 8;
    for (size_t c = 0; c < in.modifiers.vector; ++c) {
        const auto& element = vector ? data.elements[c] : data;
        if (element.kind == Kind::reg) wide = is_wide(l, element);
        l.out.r[c] = stores ? source(l, element, wide ? Type::b64 : t) : destination(l, element);
    }
    l.out.r[4] = where.slot;
    l.out.offset = offset;
    l.out.target = in.modifiers.vector;
    return Exec{select(t, stores, wide)};
}

}  // namespace wl::emulator
