// Models bar/barrier with ids, counts and reductions, fences and nanosleep: PTX ISA 9.7.13. Not modelled:
// weak memory (every store is visible at once), cluster barriers.
#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/global/proxies.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace wl::emulator {
namespace {

using ptx::Mode;
using ptx::Op;
using ptx::Type;

// Compiled code converges before a barrier (PTX ISA 9.7.13.1: all threads of a warp execute the same bar), so
// that lanes which come early wait for one that still loops.
bool converges_later(const Warp& w) {
    if (w.mask == w.live || w.splits[static_cast<size_t>(w.current)].forced) return false;
    for (int k = 0; k < w.split_count; ++k)
        if (k != w.current && w.splits[static_cast<size_t>(k)].wait == Wait::none) return true;
    return false;
}

constexpr int64_t kWaits = 1, kAligned = 2;  // of Instr::offset

// r = {d, barrier, threads, predicate}; threads slot 0 means the whole block.
const Instr* barrier(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0) return i + 1;
    if (lanes == w.mask && converges_later(w)) return wait_at(w, i, Wait::convergence);
    w.held_back = false;
    part(w, lanes, i + 1);
    running(w).forced = false;
    const int lane = first_lane(lanes);
    Arrival arrival;
    arrival.id = cells<uint32_t>(w, i->r[1])[lane];
    arrival.threads = i->r[2] == 0 ? 0 : cells<uint32_t>(w, i->r[2])[lane];
    arrival.waits = (i->offset & kWaits) != 0;
    arrival.aligned = (i->offset & kAligned) != 0;
    arrival.predicate = i->target >= 0 ? read_predicate(w, i->r[3]) : 0;
    return arrive_at_barrier(w, i, arrival);
}

// Memory is shared with other workers: what the host's processor has not written yet must not be overtaken.
const Instr* fence(Warp&, const Instr* i) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return i + 1;
}

// Between the generic proxy and the async one, of shared memory.
bool covers_shared(const ptx::Instruction& in) {
    return in.mnemonic == "fence.proxy.async" || in.mnemonic.starts_with("fence.proxy.async.shared");
}

const Instr* proxy_fence(Warp& w, const Instr* i) {
    note_proxy_fence(w);
    return fence(w, i);
}

// The clocks that the kernel reads are ahead by the time it asked for, at most 1 ms (PTX ISA 9.7.19.2).
const Instr* sleep(Warp& w, const Instr* i) {
    const uint32_t time = cells<uint32_t>(w, i->r[1])[first_lane(w.mask)];
    w.slept += std::min(time, 1'000'000u);
    return end_slice(w, i + 1);
}

// One grid at a time: nothing waits. What a warp does before it has waited is kept for who compares launches.
const Instr* wait_for_grids(Warp& w, const Instr* i) {
    if (GlobalActor* actor = w.block->global.get()) actor->waited[static_cast<size_t>(w.index)] |= w.mask;
    return i + 1;
}
const Instr* let_dependents(Warp& w, const Instr* i) {
    const GlobalActor* actor = w.block->global.get();
    if (actor != nullptr && actor->shadow != nullptr) actor->shadow->lets_dependents = true;
    return i + 1;
}

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

// The others come to where they wait before anybody arrives: the shadow keeps the readers of a word together
// as long as none of them has synchronised since. Without a shadow, too: warps have the same turns then.
const Instr* hold_back(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0 || (lanes == w.mask && converges_later(w))) return i->inner(w, i);
    if (std::exchange(w.held_back, true)) return i->inner(w, i);
    return end_slice(w, i);
}

// Handles its guard itself.
Selected lower_barrier(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::bar: break;
        case Op::membar: return Exec{fence};
        case Op::fence: return covers_shared(in) ? Exec{proxy_fence} : Exec{fence};
        case Op::nanosleep: l.out.r[1] = source(l, 0, Type::u32); return Exec{sleep};
        case Op::griddepcontrol:
            return in.mnemonic == "griddepcontrol.wait" ? Exec{wait_for_grids} : Exec{let_dependents};
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
    l.out.offset = (in.modifiers.mode != Mode::arrive ? kWaits : 0) | (in.modifiers.aligned ? kAligned : 0);
    return Exec{barrier};
}

}  // namespace wl::emulator
