// Models branches, exit and trap: PTX ISA 9.7.12. Not modelled: calls and indirect branches.
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/schedule.h"
#include "instrumentation/emulator/simd.h"

namespace wl::emulator {
namespace {

using ptx::Op;

inline uint32_t guard_lanes(Warp& w, const Instr* i) {
    return i->guard == kNoGuard ? w.mask : w.mask & read_predicate(w, i->guard);
}

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
    report(*w.block, std::move(incident));
    w.block->aborted = true;
    return wait_at(w, i, Wait::collective);
}

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

// These handle their guard themselves.
Selected lower_control(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::bra:
            if (in.operands.empty() || in.operands[0].kind != ptx::Operand::Kind::label) return {};
            l.out.target = in.operands[0].index - static_cast<int32_t>(l.out.site);
            return Exec{branch};
        case Op::ret:
        case Op::exit: return Exec{leave};
        case Op::trap: return Exec{trap};
        case Op::brkpt:
        case Op::pmevent: return Exec{no_operation};
        default: return {};
    }
}

}  // namespace wl::emulator
