// Models vote, match, redux, activemask, elect and bar.warp.sync: PTX ISA 9.7.13. Not modelled: nothing.
#include "instrumentation/emulator/exec/collective.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/observe/record.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Mode;
using ptx::Op;
using ptx::Type;

// r = {d, p, members}.
template <Mode M, Members Who>
const Instr* vote(Warp& w, const Instr* i) {
    const Standing standing = Who == Members::active ? Standing::complete : together(w, i, i->r[2]);
    if (standing == Standing::waiting) return nullptr;
    const uint32_t p = read_predicate(w, i->r[1]);
    if constexpr (M == Mode::ballot) {
        write_groups<uint32_t>(w, i->r[0], i->r[2], [=](uint32_t lanes) { return p & lanes; });
    } else {
        uint32_t truth = 0;
        for_groups(w, i->r[2], [&](uint32_t lanes) {
            const bool all = (p & lanes) == lanes, none = (p & lanes) == 0;
            if (M == Mode::all ? all : M == Mode::any ? !none : all || none) truth |= lanes;
        });
        write_predicate(w, i->r[0], truth);
    }
    return go_on(w, i, standing);
}

// r = {d, p, a, members}: lanes with an equal value (any), or all lanes if every value is equal (all).
template <class T, bool All>
const Instr* match(Warp& w, const Instr* i) {
    const Standing standing = together(w, i, i->r[3]);
    if (standing == Standing::waiting) return nullptr;
    const T* a = cells<T>(w, i->r[2]);
    alignas(64) uint32_t result[kLanes] = {};
    uint32_t same = 0;
    for_groups(w, i->r[3], [&](uint32_t lanes) {
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            const T mine = a[lane];
            const uint32_t equal = mask_of([=](int other) { return a[other] == mine; }) & lanes;
            result[lane] = !All || equal == lanes ? equal : 0;
            if (equal == lanes) same |= 1u << lane;
        }
    });
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return result[lane]; });
    if (All && i->target != 0) write_predicate(w, i->r[1], same);
    return go_on(w, i, standing);
}

const Instr* active_mask(Warp& w, const Instr* i) {
    const uint32_t mask = w.mask;
    write_lanes<uint32_t>(w, i->r[0], [=](int) { return mask; });
    return i + 1;
}

template <class T>
T reduce_pair(AtomOp op, T a, T b) {
    switch (op) {
        case AtomOp::add: return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
        case AtomOp::min: return std::min(a, b);
        case AtomOp::max: return std::max(a, b);
        case AtomOp::and_: return a & b;
        case AtomOp::or_: return a | b;
        default: return a ^ b;
    }
}
// r = {d, a, members}; offset: the AtomOp.
template <class T>
const Instr* reduce(Warp& w, const Instr* i) {
    const Standing standing = together(w, i, i->r[2]);
    if (standing == Standing::waiting) return nullptr;
    const T* a = cells<T>(w, i->r[1]);
    write_groups<T>(w, i->r[0], i->r[2], [=](uint32_t lanes) {
        T result = a[first_lane(lanes)];
        for (uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1)
            result = reduce_pair<T>(static_cast<AtomOp>(i->offset), result, a[first_lane(rest)]);
        return result;
    });
    return go_on(w, i, standing);
}

// r = {d, p, members}: one lane of those named is the leader. elect.sync waits for all threads of its mask,
// not only for those that have not exited, and the leader depends on the mask alone: it may be one that is
// gone.
const Instr* elect(Warp& w, const Instr* i) {
    const Standing standing = together(w, i, i->r[2]);
    if (standing == Standing::waiting) return nullptr;
    report_exited_members(w, i, cells<uint32_t>(w, i->r[2]));
    uint32_t leaders = 0;
    write_groups<uint32_t>(w, i->r[0], i->r[2], [&](uint32_t lanes) {
        leaders |= lanes & (~lanes + 1);
        return static_cast<uint32_t>(first_lane(lanes));
    });
    write_predicate(w, i->r[1], leaders);
    return go_on(w, i, standing);
}

// The other warps come to their syncwarp first: the shadow is fastest where warps go side by side. Without a
// shadow only where marks are taken, so that a block has the turns of its recorded run: in a trial without
// marks a warp runs on until it must wait.
template <bool Hooks>
bool lets_others_come(const Warp& w) {
    return Hooks || w.block->context.options->marks;
}

// bar.warp.sync by lanes of one split that name different masks.
template <bool Hooks>
const Instr* sync_groups(Warp& w, const Instr* i) {
    const uint32_t* m = cells<uint32_t>(w, i->r[0]);
    const Standing standing = together(w, i, i->r[0]);
    if (standing == Standing::waiting) return nullptr;
    if constexpr (Hooks) {
        for_groups(w, i->r[0], [&](uint32_t lanes) {
            sync_warp(w.block->shadow, w.index, lanes);
            if (w.block->recorder != nullptr)
                record_warp(w, i, capture::EventKind::syncwarp, m[first_lane(lanes)] & w.exists);
        });
    }
    return lets_others_come<Hooks>(w) ? end_slice(w, i + 1) : go_on(w, i, standing);
}

// Completed by lanes that stand at any bar.warp.sync whose mask names them.
template <bool Hooks>
const Instr* sync_warp_lanes(Warp& w, const Instr* i) {
    const uint32_t* m = cells<uint32_t>(w, i->r[0]);
    const uint32_t named = m[first_lane(w.mask)], members = named & w.exists, wanted = named & w.live;
    if ((mask_of([=](int lane) { return m[lane] == named; }) & w.mask) != w.mask)
        return sync_groups<Hooks>(w, i);
    uint32_t standing = w.mask;
    for (int k = 0; k < w.split_count; ++k) {
        const Split& s = w.splits[static_cast<size_t>(k)];
        if (s.wait == Wait::collective && s.pc->exec == i->exec && s.members == members) standing |= s.mask;
    }
    if ((w.mask & ~named) != 0) report_outside_mask(w, i, m);
    if ((wanted & ~w.mask) != 0 && (wanted & ~standing) == 0) {
        for (int k = 0; k < w.split_count; ++k) {
            Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait != Wait::collective || s.pc->exec != i->exec || s.members != members) continue;
            s.wait = Wait::none;
            ++s.pc;
        }
    } else if ((wanted & ~w.mask) != 0 && gather_by_masks(w, i, m) == Standing::waiting) {
        return nullptr;
    }
    if constexpr (Hooks) {
        sync_warp(w.block->shadow, w.index, standing & members);
        if (w.block->recorder != nullptr) record_warp(w, i, capture::EventKind::syncwarp, members);
    }
    if (lets_others_come<Hooks>(w)) return end_slice(w, i + 1);
    return standing == w.mask ? i + 1 : yield(w, i + 1);
}

template <Members Who>
Selected vote_of(Mode mode) {
    switch (mode) {
        case Mode::all: return Exec{vote<Mode::all, Who>};
        case Mode::any: return Exec{vote<Mode::any, Who>};
        case Mode::uni: return Exec{vote<Mode::uni, Who>};
        case Mode::ballot: return Exec{vote<Mode::ballot, Who>};
        default: return {};
    }
}
Selected lower_vote(Lowering& l) {
    const ptx::Modifiers& m = l.in->modifiers;
    l.out.r[0] = destination(l, 0);
    l.out.r[1] = predicate_source(l, 1);
    l.out.r[2] = members(l, 2);
    return m.sync ? vote_of<Members::masked>(m.mode) : vote_of<Members::active>(m.mode);
}

Selected lower_match(Lowering& l) {
    const auto& in = *l.in;
    size_t k = 0;
    l.out.r[0] = destination(l, k++);
    if (in.modifiers.pair) {
        l.out.r[1] = destination(l, k++);
        l.out.target = 1;
    }
    l.out.r[2] = source(l, k++, in.types[0]);
    l.out.r[3] = source(l, k, Type::b32);
    const bool wide = ptx::bytes_of(in.types[0]) == 8;
    if (in.modifiers.mode == Mode::all) return Exec{wide ? match<uint64_t, true> : match<uint32_t, true>};
    return Exec{wide ? match<uint64_t, false> : match<uint32_t, false>};
}

}  // namespace

Selected lower_warp(Lowering& l) {
    const auto& in = *l.in;
    switch (in.op) {
        case Op::shfl: return lower_shuffle(l);
        case Op::vote: return lower_vote(l);
        case Op::match: return lower_match(l);
        case Op::activemask: l.out.r[0] = destination(l, 0); return Exec{active_mask};
        case Op::redux:
            if (in.types[0] == Type::f32) return {};
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = source(l, 1, in.types[0]);
            l.out.r[2] = source(l, 2, Type::b32);
            l.out.offset = static_cast<int64_t>(in.modifiers.atom_op);
            return Exec{in.types[0] == Type::s32 ? reduce<int32_t> : reduce<uint32_t>};
        case Op::elect:
            l.out.r[0] = destination(l, 0);
            l.out.r[1] = destination(l, 1);
            l.out.r[2] = source(l, 2, Type::b32);
            return Exec{elect};
        case Op::bar_warp_sync:
            l.out.r[0] = source(l, 0, Type::b32);
            return {sync_warp_lanes<false>, sync_warp_lanes<true>, sync_warp_lanes<true>};
        default: return {};
    }
}

}  // namespace wl::emulator
