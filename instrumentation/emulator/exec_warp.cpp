// Models shfl, vote, match, redux, activemask, elect and bar.warp.sync: PTX ISA 9.7.9.6, 9.7.13. Every lane
// that the member mask names is waited for; the older forms without a mask take the lanes that stand there.
// Lanes of different member masks are apart, as in tiles of a warp. Not modelled: nothing.
#include "instrumentation/emulator/incidents.h"
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/record.h"
#include "instrumentation/emulator/reductions.h"
#include "instrumentation/emulator/schedule.h"
#include "instrumentation/emulator/simd.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::AtomOp;
using ptx::Mode;
using ptx::Op;
using ptx::Type;

enum class Standing : uint8_t {
    waiting,   // for lanes that are named and not here
    complete,  // every named lane stands here
    parted,    // the same, but for lanes of other masks, which stay behind as a split of their own
};

// Lanes whose member mask names nobody that is elsewhere.
uint32_t lanes_of_whole_groups(const Warp& w, const uint32_t* members) {
    uint32_t lanes = 0;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        if ((members[lane] & w.exists & ~w.mask) == 0) lanes |= 1u << lane;
    }
    return lanes;
}

// Whether the lanes that the instruction names stand here. Afterwards w.mask holds those that go on.
inline Standing together(Warp& w, const Instr* i, uint32_t members_slot) {
    const uint32_t* m = cells<uint32_t>(w, members_slot);
    uint32_t any = 0, all = kAllLanes;
    const uint32_t mask = w.mask;
    WL_FOR_LANES {
        any |= (mask >> lane & 1) != 0 ? m[lane] : 0;
        all &= (mask >> lane & 1) != 0 ? m[lane] : kAllLanes;
    }
    any &= w.exists;
    if (any == mask) [[likely]]
        return Standing::complete;
    const uint32_t whole = (all & w.exists) == any ? 0 : lanes_of_whole_groups(w, m);
    if (whole == 0) return gather(w, i, any) ? Standing::complete : Standing::waiting;
    close_segment(w, i);
    part(w, whole, i);
    return Standing::parted;
}
inline const Instr* go_on(Warp& w, const Instr* i, Standing standing) {
    return standing == Standing::parted ? yield(w, i + 1) : i + 1;
}

// body(lanes) for the running lanes of each member mask.
template <class Body>
inline void for_groups(Warp& w, uint32_t members_slot, Body body) {
    const uint32_t* m = cells<uint32_t>(w, members_slot);
    for (uint32_t rest = w.mask; rest != 0;) {
        const uint32_t named = m[first_lane(rest)];
        const uint32_t lanes = mask_of([=](int lane) { return m[lane] == named; }) & w.mask;
        body(lanes);
        rest &= ~lanes;
    }
}
// d = value(lanes), one value a group.
template <class T, class Value>
inline void write_groups(Warp& w, uint32_t slot, uint32_t members_slot, Value value) {
    alignas(64) T result[kLanes] = {};
    for_groups(w, members_slot, [&](uint32_t lanes) {
        const T v = value(lanes);
        WL_FOR_LANES result[lane] = (lanes >> lane & 1) != 0 ? v : result[lane];
    });
    write_lanes<T>(w, slot, [&](int lane) { return result[lane]; });
}

template <class T>
inline bool is_uniform(const T* a) {
    T difference = 0;
    WL_FOR_LANES difference |= a[lane] ^ a[0];
    return difference == 0;
}

// The butterfly over all 32 lanes with one distance: vector permutations.
inline void butterfly(const uint32_t* a, uint32_t distance, uint32_t* out) {
    const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i index = _mm256_xor_si256(iota, _mm256_set1_epi32(static_cast<int>(distance & 7)));
    for (uint32_t k = 0; k < 4; ++k) {
        const __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i*>(a + 8 * (k ^ distance >> 3)));
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + 8 * k), _mm256_permutevar8x32_epi32(from, index));
    }
}

void report_inactive_source(Warp& w, const Instr* i, uint32_t lanes) {
    Incident incident;
    incident.kind = Incident::Kind::lane_not_in_mask;
    incident.first = witness(w, i, lanes);
    incident.detail = "the shuffle reads a lane that does not take part";
    report(*w.block, std::move(incident));
}

// ISA 9.7.9.6: where lane `lane` reads, and whether that is in range.
template <Mode M>
inline uint32_t shuffle_source(uint32_t lane, uint32_t b, uint32_t c, bool& in_range) {
    const uint32_t bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
    const uint32_t most = (lane & segment) | (cval & ~segment);
    const uint32_t least = lane & segment;
    uint32_t j = 0;
    if constexpr (M == Mode::up) {
        j = lane - bval;
        in_range = static_cast<int32_t>(j) >= static_cast<int32_t>(most);
    } else {
        j = M == Mode::down ? lane + bval : M == Mode::bfly ? lane ^ bval : least | (bval & ~segment);
        in_range = static_cast<int32_t>(j) <= static_cast<int32_t>(most);
    }
    return in_range ? j : lane;
}

template <Mode M>
void shuffle_general(Warp& w, const Instr* i, bool has_predicate) {
    alignas(64) uint32_t result[kLanes];
    const uint32_t* a = cells<uint32_t>(w, i->r[2]);
    const uint32_t* b = cells<uint32_t>(w, i->r[3]);
    const uint32_t* c = cells<uint32_t>(w, i->r[4]);
    const uint32_t* members = cells<uint32_t>(w, i->r[5]);
    uint32_t ranges = 0, absent = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        bool in_range = false;
        uint32_t from = shuffle_source<M>(lane, b[lane], c[lane], in_range);
        ranges |= static_cast<uint32_t>(in_range) << lane;
        if (!has_lane(w.mask & members[lane], static_cast<int>(from & 31)) &&
            has_lane(w.mask, static_cast<int>(lane))) {
            absent |= 1u << lane;
            from = lane;
        }
        result[lane] = a[from & 31];
    }
    if (absent != 0) report_inactive_source(w, i, absent);
    write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return result[lane]; });
    if (has_predicate) write_predicate(w, i->r[1], ranges);
}

// Who takes part: the lanes of a member mask, or (the older forms, before sm_70) those that stand here, whose
// mask is all ones.
enum class Members : uint8_t { masked, active };

// r = {d, p, a, b, c, members}; target: 1 when there is a p; offset: 1 + index of the reduction it heads.
template <Mode M, Members Who, bool Hooks>
const Instr* shuffle(Warp& w, const Instr* i) {
    const Standing standing = Who == Members::active ? Standing::complete : together(w, i, i->r[5]);
    if (standing == Standing::waiting) return nullptr;
    if constexpr (Hooks) {
        if (i->offset != 0) observe_reduction(w, i, static_cast<size_t>(i->offset - 1));
    }
    const bool has_predicate = i->target != 0;
    if constexpr (M == Mode::bfly) {
        const uint32_t* b = cells<uint32_t>(w, i->r[3]);
        const uint32_t* c = cells<uint32_t>(w, i->r[4]);
        if (w.mask == kAllLanes && (c[0] & 0x1f1f) == 0x1f && is_uniform(b) && is_uniform(c)) [[likely]] {
            alignas(64) uint32_t result[kLanes];
            butterfly(cells<uint32_t>(w, i->r[2]), b[0] & 31, result);
            write_lanes<uint32_t>(w, i->r[0], [&](int lane) { return result[lane]; });
            if (has_predicate) write_predicate(w, i->r[1], kAllLanes);
            return i + 1;
        }
    }
    shuffle_general<M>(w, i, has_predicate);
    return go_on(w, i, standing);
}

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

// r = {d, p, members}: one lane of those named is the leader.
const Instr* elect(Warp& w, const Instr* i) {
    const Standing standing = together(w, i, i->r[2]);
    if (standing == Standing::waiting) return nullptr;
    uint32_t leaders = 0;
    write_groups<uint32_t>(w, i->r[0], i->r[2], [&](uint32_t lanes) {
        leaders |= lanes & (~lanes + 1);
        return static_cast<uint32_t>(first_lane(lanes));
    });
    write_predicate(w, i->r[1], leaders);
    return go_on(w, i, standing);
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
        return end_slice(w, i + 1);
    }
    return go_on(w, i, standing);
}

// Completed by lanes that stand at any bar.warp.sync whose mask names them.
template <bool Hooks>
const Instr* sync_warp_lanes(Warp& w, const Instr* i) {
    const uint32_t* m = cells<uint32_t>(w, i->r[0]);
    const uint32_t named = m[first_lane(w.mask)], members = named & w.exists;
    if ((mask_of([=](int lane) { return m[lane] == named; }) & w.mask) != w.mask)
        return sync_groups<Hooks>(w, i);
    uint32_t standing = w.mask;
    for (int k = 0; k < w.split_count; ++k) {
        const Split& s = w.splits[static_cast<size_t>(k)];
        if (s.wait == Wait::collective && s.pc->exec == i->exec && s.members == members) standing |= s.mask;
    }
    if ((members & ~w.mask) != 0 && (members & ~standing) == 0) {
        for (int k = 0; k < w.split_count; ++k) {
            Split& s = w.splits[static_cast<size_t>(k)];
            if (s.wait != Wait::collective || s.pc->exec != i->exec || s.members != members) continue;
            s.wait = Wait::none;
            ++s.pc;
        }
    } else if (members != w.mask && !gather(w, i, members)) {
        return nullptr;
    }
    if constexpr (Hooks) {
        sync_warp(w.block->shadow, w.index, standing & members);
        if (w.block->recorder != nullptr) record_warp(w, i, capture::EventKind::syncwarp, members);
    }
    if constexpr (Hooks) {
        // The other warps come to their syncwarp first: the shadow is fastest where warps go side by side.
        return end_slice(w, i + 1);
    }
    return standing == w.mask ? i + 1 : yield(w, i + 1);
}

template <Mode M, Members Who>
Selected shuffle_variants() {
    return {shuffle<M, Who, false>, shuffle<M, Who, true>, shuffle<M, Who, true>};
}
template <Members Who>
Selected shuffle_of(Mode mode) {
    switch (mode) {
        case Mode::up: return shuffle_variants<Mode::up, Who>();
        case Mode::down: return shuffle_variants<Mode::down, Who>();
        case Mode::bfly: return shuffle_variants<Mode::bfly, Who>();
        case Mode::idx: return shuffle_variants<Mode::idx, Who>();
        default: return {};
    }
}
uint32_t members(Lowering& l, size_t k) {
    return l.in->modifiers.sync ? source(l, k, Type::b32) : constant(l, 4, kAllLanes);
}

Selected lower_shuffle(Lowering& l) {
    const auto& in = *l.in;
    size_t k = 0;
    l.out.r[0] = destination(l, k++);
    if (in.modifiers.pair) l.out.r[1] = destination(l, k++);
    l.out.target = in.modifiers.pair && in.operands[1].kind != ptx::Operand::Kind::sink ? 1 : 0;
    for (size_t r = 2; r < 5; ++r) l.out.r[r] = source(l, k++, Type::b32);
    l.out.r[5] = members(l, k);
    const auto& chains = l.program.reductions;
    for (size_t c = 0; c < chains.size(); ++c)
        if (chains[c].head == l.out.site) l.out.offset = static_cast<int64_t>(c) + 1;
    return in.modifiers.sync ? shuffle_of<Members::masked>(in.modifiers.mode)
                             : shuffle_of<Members::active>(in.modifiers.mode);
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
