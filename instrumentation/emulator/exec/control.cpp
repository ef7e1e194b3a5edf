// Models branches, also through a list of labels, exit and trap: PTX ISA 9.7.12. Calls: exec_call.cpp.
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/lowering.h"

#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;

const Instr* jump(Warp& w, const Instr* i, const Instr* target) {
    close_segment(w, i + 1);
    w.segment = target;
    if (w.clock >= w.slice_end) [[unlikely]]
        return yield(w, target);
    return target;
}

const Instr* branch(Warp& w, const Instr* i) {
    const uint32_t taken = guard_lanes(w, i);
    if (taken == 0) return i + 1;
    if (taken == w.mask) [[likely]]
        return jump(w, i, i + i->target);
    close_segment(w, i + 1);
    return diverge(w, taken, i + i->target, i + 1);
}

// r[0]: the index. Lanes of one target go together; the others come here again.
const Instr* branch_indexed(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0) return i + 1;
    const std::vector<uint32_t>& targets = w.block->context.program->lists[static_cast<size_t>(i->target)];
    const uint32_t* index = cells<uint32_t>(w, i->r[0]);
    const uint32_t chosen = index[first_lane(lanes)];
    if (chosen >= targets.size()) {
        Incident incident;
        incident.kind = Incident::Kind::undefined_target;
        incident.first = witness(w, i, lanes);
        incident.first.value = chosen;
        incident.detail = fmt::format("brx.idx has {} targets, the index is {}", targets.size(), chosen);
        return give_up(w, i, std::move(incident));
    }
    const uint32_t same = lanes & mask_of([=](int lane) { return index[lane] == chosen; });
    const Instr* target = i + static_cast<int32_t>(targets[chosen]);
    if (same == w.mask) return jump(w, i, target);
    close_segment(w, i + 1);
    part(w, lanes, i + 1);
    part(w, same, i);
    running(w).pc = target;
    return nullptr;
}

const Instr* leave(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    return lanes == 0 ? i + 1 : exit_lanes(w, i, lanes);
}

const Instr* trap(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0) return i + 1;
    Incident incident;
    incident.kind = Incident::Kind::trap;
    incident.first = witness(w, i, lanes);
    return give_up(w, i, std::move(incident));
}

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

// These handle their guard themselves.
Selected lower_control(Lowering& l) {
    const auto& in = *l.in;
    const auto place = static_cast<int32_t>(l.out.site - l.first_site);
    switch (in.op) {
        case Op::bra:
            if (in.operands.empty() || in.operands[0].kind != ptx::Operand::Kind::label) return {};
            l.out.target = in.operands[0].index - place;
            return Exec{branch};
        case Op::brx_idx: {
            if (in.operands.size() != 2 || in.operands[1].kind != ptx::Operand::Kind::branch_targets)
                return {};
            l.out.r[0] = source(l, 0, ptx::Type::u32);
            l.out.target = static_cast<int32_t>(l.program.lists.size());
            std::vector<uint32_t>& list = l.program.lists.emplace_back();
            for (const int32_t target : l.function.branch_targets[static_cast<size_t>(in.operands[1].index)])
                list.push_back(static_cast<uint32_t>(target - place));
            return Exec{branch_indexed};
        }
        case Op::ret: return l.function.is_entry ? Selected{Exec{leave}} : Selected{};
        case Op::exit: return Exec{leave};
        case Op::trap: return Exec{trap};
        case Op::brkpt:
        case Op::pmevent: return Exec{no_operation};
        default: return {};
    }
}

}  // namespace wl::emulator
