// Follows addresses through moves, sums and selections, in any order. Modelled: addresses of variables and
// pointers among the entry's parameters. Everything else that is added counts as an offset: what comes from
// memory, from products, from what calls pass. Not modelled: addresses put together of halves, or masked.
#include "instrumentation/emulator/lower/origins.h"

#include "instrumentation/ptx/table/destinations.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;
using Of = Origin::Of;

constexpr Origin kNumber{Of::number, 0}, kSeveral{Of::several, 0};

Origin either(Origin a, Origin b) {
    return a.of == Of::unseen ? b : b.of == Of::unseen || a == b ? a : kSeveral;
}
Origin sum(Origin a, Origin b) {
    if (a.of == Of::unseen || b.of == Of::unseen) return {};
    return a.of == Of::number ? b : b.of == Of::number ? a : kSeveral;
}

Origin of_symbol(const Lowering& l, const Operand& o) {
    const Placed& place =
        (o.local ? l.function_variables : l.linking.module_variables)[static_cast<size_t>(o.index)];
    if (place.global >= 0) return {Of::global, place.global};
    if (place.space != ptx::Space::shared) return kNumber;
    const auto& all = l.program.shared_variables;
    const auto it = std::find_if(all.begin(), all.end(), [&](const SharedVariable& v) {
        return v.offset == place.offset;
    });
    return it == all.end() ? kSeveral : Origin{Of::shared, it - all.begin()};
}

// ld.param of 8 bytes: of an entry it may be a pointer.
Origin of_parameter(const Lowering& l, const ptx::Instruction& in) {
    const Operand& from = in.operands[1];
    const bool pointer = l.function.is_entry && in.modifiers.space == ptx::Space::param &&
        from.kind == Kind::address && from.base_kind == Kind::param && !in.types.empty() &&
        ptx::bytes_of(in.types.back()) == 8;
    if (!pointer) return kNumber;
    const auto at = static_cast<int64_t>(l.params[static_cast<size_t>(from.index)].offset);
    return {Of::parameter, at + from.offset};
}

struct Tracer {
    const Lowering& l;
    std::vector<Origin> registers;

    Origin of(const Operand& o) const { return origin_of(l, registers, o); }
    Origin of_result(const ptx::Instruction& in) const {
        const auto& o = in.operands;
        switch (in.op) {
            case Op::ld: return of_parameter(l, in);
            case Op::mov:
            case Op::cvt:
            case Op::cvta: return of(o[1]);
            case Op::add:
            case Op::sub: return sum(of(o[1]), of(o[2]));
            case Op::mad: return sum(sum(of(o[1]), of(o[2])) == kNumber ? kNumber : kSeveral, of(o[3]));
            case Op::selp: return either(of(o[1]), of(o[2]));
            default: return kNumber;
        }
    }
    bool pass() {
        bool changed = false;
        for (const ptx::Instruction& in : l.function.code) {
            const size_t written = ptx::destination_count(in);
            for (size_t k = 0; k < written; ++k) {
                if (in.operands[k].kind != Kind::reg) continue;
                Origin& held = registers[static_cast<size_t>(in.operands[k].index)];
                const Origin now = either(held, written == 1 ? of_result(in) : kNumber);
                changed = changed || now != held;
                held = now;
            }
        }
        return changed;
    }
};

}  // namespace

std::vector<Origin> trace_origins(const Lowering& l) {
    Tracer tracer{l, std::vector<Origin>(l.function.registers.size())};
    while (tracer.pass()) {}
    return std::move(tracer.registers);
}

Origin origin_of(const Lowering& l, const std::vector<Origin>& registers, const Operand& o) {
    const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
    if (kind == Kind::symbol) return of_symbol(l, o);
    return kind == Kind::reg ? registers[static_cast<size_t>(o.index)] : kNumber;
}

}  // namespace wl::emulator
