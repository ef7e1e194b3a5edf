// Models bar/barrier with ids, counts and reductions, fences and nanosleep: PTX ISA 9.7.13. Not modelled:
// weak memory (every store is visible at once, a fence does nothing), cluster barriers.
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/schedule.h"
#include "instrumentation/emulator/simd.h"

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Type;

// r = {d, barrier, threads, predicate}; offset: waits; threads slot 0 means the whole block.
template <bool Hooks>
const Instr* barrier(Warp& w, const Instr* i) {
    const uint32_t lanes = i->guard == kNoGuard ? w.mask : w.mask & read_predicate(w, i->guard);
    if (lanes == 0) return i + 1;
    if constexpr (Hooks) {
        // The others come to where they wait before anybody arrives: the shadow keeps the readers of a word
        // together as long as none of them has synchronised since.
        w.held_back = !w.held_back;
        if (w.held_back) return end_slice(w, i);
    }
    part(w, lanes, i + 1);
    const int lane = first_lane(lanes);
    Arrival arrival;
    arrival.id = cells<uint32_t>(w, i->r[1])[lane];
    arrival.threads = i->r[2] == 0 ? 0 : cells<uint32_t>(w, i->r[2])[lane];
    arrival.waits = i->offset != 0;
    arrival.predicate = i->target >= 0 ? read_predicate(w, i->r[3]) : 0;
    return arrive_at_barrier(w, i, arrival);
}

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

// Handles its guard itself.
Selected lower_barrier(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::bar: break;
        case Op::membar:
        case Op::fence:
        case Op::nanosleep:
        case Op::griddepcontrol:
        case Op::setmaxnreg: return Exec{no_operation};
        default: return {};
    }
    const bool reduces = in.modifiers.mode == Mode::red;
    size_t k = 0;
    if (reduces) l.out.r[0] = destination(l, k++);
    l.out.r[1] = k < in.operands.size() ? source(l, k++, Type::u32) : constant(l, 4, 0);
    const size_t tail = reduces ? 1 : 0;
    if (k + tail < in.operands.size()) l.out.r[2] = source(l, k++, Type::u32);
    if (reduces) l.out.r[3] = predicate_source(l, k);
    l.out.target = reduces ? static_cast<int32_t>(in.modifiers.bool_op) : -1;
    l.out.offset = in.modifiers.mode != Mode::arrive ? 1 : 0;
    return {barrier<false>, barrier<true>, barrier<true>};
}

}  // namespace wl::emulator
