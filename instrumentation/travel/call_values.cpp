// Parameters by lane, depth and place, as ld.param, st.param, call and ret name them.
#include "instrumentation/travel/call_values.h"

#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::travel {
namespace {

using ptx::Instruction;
using ptx::Memory;
using ptx::Operand;

PassedKey key_of(const Executed& e, const Operand& o, int lane) {
    return {e.warp, lane, e.depth, o.base_kind, o.index, o.offset};
}

}  // namespace

bool loads_parameter(const Instruction& in) {
    return traits_of(in).memory == Memory::load && in.modifiers.space == ptx::Space::param;
}

bool loads_entry_parameter(const Executed& e, const Instruction& in) {
    return e.depth == 0 && in.operands[1].base_kind == Operand::Kind::param;
}

PassedKey parameter_of(const Executed& e, const Instruction& in, int lane, int32_t reg) {
    const std::vector<int32_t> regs = registers(in, 0, 1);
    PassedKey p = key_of(e, in.operands[1], lane);
    const auto component = std::find(regs.begin(), regs.end(), reg) - regs.begin();
    p.offset += component * static_cast<int64_t>(ptx::bytes_of(in.types.back()));
    return p;
}

std::vector<std::pair<PassedKey, int32_t>> stored_parameters(const Executed& e, const Instruction& in) {
    std::vector<std::pair<PassedKey, int32_t>> out;
    const bool store = traits_of(in).memory == Memory::store && in.modifiers.space == ptx::Space::param;
    if (!store) return out;
    const std::vector<int32_t> regs = registers(in, 1, 2);
    for (int lane = 0; lane < 32; ++lane) {
        if ((e.lanes >> lane & 1) == 0) continue;
        PassedKey key = key_of(e, in.operands[0], lane);
        for (const int32_t reg : regs) {
            out.emplace_back(key, reg);
            key.offset += static_cast<int64_t>(ptx::bytes_of(in.types.back()));
        }
    }
    return out;
}

std::vector<std::pair<PassedKey, PassedKey>> renamed_by(
    const Route& route, const Log& log, const Executed& e, const Instruction& in
) {
    std::vector<std::pair<PassedKey, PassedKey>> out;
    const ptx::Control control = traits_of(in).control;
    const bool call = control == ptx::Control::call && in.operands.size() > 2,
               ret = control == ptx::Control::leave && e.extra >= 0;
    if (!call && !ret) return out;
    const Instruction& caller =
        call ? in : *route.instructions[static_cast<size_t>(log.extras[static_cast<size_t>(e.extra)][0])];
    const std::vector<Operand>& passed = caller.operands[call ? 2 : 0].elements;
    for (int lane = 0; lane < 32; ++lane) {
        if ((e.lanes >> lane & 1) == 0) continue;
        for (size_t k = 0; k < passed.size(); ++k) {
            const auto number = static_cast<int32_t>(k);
            const PassedKey outer{
                e.warp, lane, call ? e.depth : e.depth - 1, passed[k].kind, passed[k].index, 0};
            if (call)
                out.emplace_back(
                    PassedKey{e.warp, lane, e.depth + 1, Operand::Kind::param, number, 0}, outer
                );
            else
                out.emplace_back(outer, PassedKey{e.warp, lane, e.depth, Operand::Kind::result, number, 0});
        }
    }
    return out;
}

}  // namespace wl::travel
