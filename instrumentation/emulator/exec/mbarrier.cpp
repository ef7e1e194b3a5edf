// Models mbarrier.* and cp.async.mbarrier.arrive: PTX ISA 9.7.13.15. A test in vain gives the block's other
// warps their turn. Not modelled: the time that try_wait may take, memory orderings (an arrival always
// releases, a wait always acquires), mbarriers of other blocks of a cluster.
#include "instrumentation/emulator/schedule/mbarrier.h"

#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/hooks.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

// Calls `visit` with the lanes at each mbarrier, by their first lane.
template <class Visit>
void for_each_mbarrier(Warp& w, const Instr* i, Visit visit) {
    const MemoryForm f = decode(i->target);
    std::array<uint32_t, kLanes> offsets;
    uint32_t valid = 0;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto place =
            resolve(w, i, {f.space, lane, address_of(w, i, f.wide_base, lane), sizeof(uint64_t), true});
        if (!place) continue;
        offsets[static_cast<size_t>(lane)] = static_cast<uint32_t>(place->offset);
        if (place->space == Space::shared)
            valid |= 1u << lane;
        else
            report_misuse(w, {i, 1u << lane, 0}, "the address does not lie in shared memory");
    }
    while (valid != 0) {
        const uint32_t offset = offsets[static_cast<size_t>(first_lane(valid))];
        uint32_t lanes = 0;
        for (uint32_t rest = valid; rest != 0; rest &= rest - 1)
            if (offsets[static_cast<size_t>(first_lane(rest))] == offset) lanes |= rest & -rest;
        valid &= ~lanes;
        visit(MbarrierUse{i, lanes, offset});
    }
}

// r[1]: count.
const Instr* init(Warp& w, const Instr* i) {
    const uint32_t* count = cells<uint32_t>(w, i->r[1]);
    for_each_mbarrier(w, i, [&](const MbarrierUse& use) {
        for (uint32_t rest = use.lanes; rest != 0; rest &= rest - 1)
            make_mbarrier(w, {i, rest & -rest, use.offset}, count[first_lane(rest)]);
    });
    return i + 1;
}

const Instr* inval(Warp& w, const Instr* i) {
    for_each_mbarrier(w, i, [&](const MbarrierUse& use) { end_mbarrier(w, use); });
    return i + 1;
}

// r[1]: bytes.
template <int Sign>
const Instr* transactions(Warp& w, const Instr* i) {
    const uint32_t* bytes = cells<uint32_t>(w, i->r[1]);
    for_each_mbarrier(w, i, [&](const MbarrierUse& use) {
        Mbarrier* m = use_mbarrier(w, use);
        if (m == nullptr) return;
        for (uint32_t rest = use.lanes; rest != 0; rest &= rest - 1)
            count_bytes(w, {i, rest & -rest, use.offset}, *m, Sign * int64_t{bytes[first_lane(rest)]});
    });
    return i + 1;
}

// r = {state before, count or bytes}.
template <bool Expects, bool Drops, bool Completes>
const Instr* arrival(Warp& w, const Instr* i) {
    const uint32_t* number = cells<uint32_t>(w, i->r[1]);
    std::array<uint64_t, kLanes> state{};
    for_each_mbarrier(w, i, [&](const MbarrierUse& use) {
        Mbarrier* m = use_mbarrier(w, use);
        if (m == nullptr) return;
        Arrivals arrivals;
        arrivals.drops = Drops;
        arrivals.completes = Completes;
        for (size_t lane = 0; lane < kLanes; ++lane) {
            arrivals.count[lane] = Expects ? 1 : number[lane];
            arrivals.bytes[lane] = Expects ? number[lane] : 0;
        }
        const auto before = arrive(w, use, *m, arrivals);
        for (uint32_t rest = use.lanes; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<size_t>(first_lane(rest));
            state[lane] = before[lane];
        }
    });
    write_lanes<uint64_t>(w, i->r[0], [&](int lane) { return state[static_cast<size_t>(lane)]; });
    return i + 1;
}

template <bool Parity>
uint32_t complete_for(Warp& w, const Instr* i, const MbarrierUse& use, const Mbarrier& m) {
    uint32_t complete = 0;
    for (uint32_t rest = use.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        uint32_t parity = 0;
        if constexpr (Parity) {
            parity = cells<uint32_t>(w, i->r[1])[lane];
            if (parity > 1)
                report_misuse(
                    w,
                    {i, rest & -rest, use.offset},
                    "a phase parity of " + std::to_string(parity) + "; it is 0 or 1"
                );
            parity &= 1;
        } else {
            parity = parity_of(cells<uint64_t>(w, i->r[1])[lane]);
        }
        if ((m.phase & 1) != parity) complete |= rest & -rest;
    }
    return complete;
}

// r = {predicate, parity or state}.
template <bool Parity>
const Instr* test(Warp& w, const Instr* i) {
    uint32_t complete = 0, in_vain = 0, vain_at = 0;
    for_each_mbarrier(w, i, [&](const MbarrierUse& use) {
        Mbarrier* m = use_mbarrier(w, use);
        uint32_t lanes = 0;
        if (m != nullptr) {
            lanes = complete_for<Parity>(w, i, use, *m);
            if (lanes != use.lanes) {
                land_tracked(w, use, *m);
                lanes |= complete_for<Parity>(w, i, use, *m);
            }
        }
        if (lanes != use.lanes) vain_at = use.offset;
        in_vain |= use.lanes & ~lanes;
        complete |= lanes;
        if (lanes == 0) return;
        ++w.block->now.changes;
        if (w.block->now.variant != kPlain)
            acquire(w.block->shadow, w.index, lanes == w.live ? kAllLanes : lanes, m->number);
    });
    write_predicate(w, i->r[0], complete);
    return in_vain == 0 ? i + 1 : poll_again(w, i + 1, vain_at);
}

template <bool Counted>
const Instr* copies_arrive(Warp& w, const Instr* i) {
    for_each_mbarrier(w, i, [&](const MbarrierUse& use) {
        Mbarrier* m = use_mbarrier(w, use);
        if (m != nullptr) track_copies(w, use, *m, Counted);
    });
    return i + 1;
}

const Instr* pending_count(Warp& w, const Instr* i) {
    const uint64_t* state = cells<uint64_t>(w, i->r[1]);
    write_lanes<uint32_t>(w, i->r[0], [=](int lane) { return pending_of(state[lane]); });
    return i + 1;
}

template <bool Drops>
Exec arrival_of(const ptx::Modifiers& m) {
    if (m.expect_tx) return arrival<true, Drops, true>;
    return m.no_complete ? arrival<false, Drops, false> : arrival<false, Drops, true>;
}

Selected lower_arrival(Lowering& l) {
    const auto& in = *l.in;
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = in.operands.size() > 2 ? source(l, 2, Type::u32) : constant(l, 4, 1);
    return in.op == Op::mbarrier_arrive ? arrival_of<false>(in.modifiers) : arrival_of<true>(in.modifiers);
}

Selected lower_test(Lowering& l) {
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = source(l, 2, l.in->modifiers.parity ? Type::u32 : Type::u64);
    return l.in->modifiers.parity ? Exec{test<true>} : Exec{test<false>};
}

}  // namespace

Selected lower_mbarrier(Lowering& l) {
    const auto& in = *l.in;
    if (in.op == Op::mbarrier_pending_count) {
        l.out.r[0] = destination(l, 0);
        l.out.r[1] = source(l, 1, Type::u64);
        return Exec{pending_count};
    }
    const bool arrives = in.op == Op::mbarrier_arrive || in.op == Op::mbarrier_arrive_drop;
    const bool tests = in.op == Op::mbarrier_test_wait || in.op == Op::mbarrier_try_wait;
    const bool known = (in.op >= Op::mbarrier_init && in.op <= Op::mbarrier_try_wait) ||
        in.op == Op::cp_async_mbarrier_arrive;
    if (!known) return {};
    const AddressOperand where = address(
        l, arrives || tests ? 1 : 0, in.modifiers.space == Space::none ? Space::generic : in.modifiers.space
    );
    MemoryForm f;
    f.space = where.space;
    f.wide_base = where.wide;
    l.out.target = encode(f);
    l.out.r[4] = where.slot;
    l.out.offset = where.displacement;
    if (arrives) return lower_arrival(l);
    if (tests) return lower_test(l);
    switch (in.op) {
        case Op::mbarrier_inval: return Exec{inval};
        case Op::cp_async_mbarrier_arrive:
            return in.modifiers.noinc ? Exec{copies_arrive<true>} : Exec{copies_arrive<false>};
        default: break;
    }
    l.out.r[1] = source(l, 1, Type::u32);
    switch (in.op) {
        case Op::mbarrier_init: return Exec{init};
        case Op::mbarrier_expect_tx: return Exec{transactions<1>};
        case Op::mbarrier_complete_tx: return Exec{transactions<-1>};
        default: return {};
    }
}

}  // namespace wl::emulator
