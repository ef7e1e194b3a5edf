// What the instructions share that lanes of a warp execute together. A lane waits until all lanes that its
// member mask names, and that have not exited, execute the instruction with the same member mask: PTX ISA 9.0
// of shfl.sync, vote.sync, match.sync and redux.sync ("all non-exited threads corresponding to membermask ...
// the same membermask value"), CUDA C++ Programming Guide 13.0 of __syncwarp ("all non-exited threads named
// in mask"). Whoever is not in its own mask is outside of what is defined. So a mask may name lanes that have
// exited: nothing is asked of them. Lanes of different member masks are apart, as in tiles of a warp. The
// older forms without a mask take the lanes that stand there.
#pragma once

#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

enum class Standing : uint8_t {
    waiting,   // for lanes that are named and not here
    complete,  // every named lane stands here
    parted,    // the same, but for lanes of other masks, which stay behind as a split of their own
};

// The same where the running lanes do not all name each other and nobody else: mask by mask.
Standing gather_by_masks(Warp& w, const Instr* i, const uint32_t* members);

// Lanes that are not in their own member mask; lanes that are named and have exited.
void report_outside_mask(Warp& w, const Instr* i, const uint32_t* members);
void report_exited_members(Warp& w, const Instr* i, const uint32_t* members);

// Tells the shadows that the running lanes execute a warp-wide instruction, each with those of its mask.
void take_in(Warp& w, const Instr* i, const uint32_t* members);

// Whether the lanes that the instruction names stand here. Afterwards w.mask holds those that go on.
inline Standing together(Warp& w, const Instr* i, uint32_t members_slot) {
    const uint32_t* m = cells<uint32_t>(w, members_slot);
    uint32_t any = 0, all = kAllLanes;
    const uint32_t mask = w.mask;
    WL_FOR_LANES {
        any |= (mask >> lane & 1) != 0 ? m[lane] : 0;
        all &= (mask >> lane & 1) != 0 ? m[lane] : kAllLanes;
    }
    const bool is_one_group = (any & w.live) == mask && (all & w.live) == mask;
    const Standing standing = is_one_group ? Standing::complete : gather_by_masks(w, i, m);
    if (standing == Standing::waiting) return standing;
    if (i->takes_in) take_in(w, i, m);
    return standing;
}
inline const Instr* go_on(Warp& w, const Instr* i, Standing standing) {
    return standing == Standing::parted ? yield(w, i + 1) : i + 1;
}

// body(lanes) for the running lanes of each member mask. As for who waits for whom, lanes that have exited
// make no difference.
template <class Body>
inline void for_groups(Warp& w, uint32_t members_slot, Body body) {
    const uint32_t* m = cells<uint32_t>(w, members_slot);
    const uint32_t live = w.live;
    for (uint32_t rest = w.mask; rest != 0;) {
        const uint32_t named = m[first_lane(rest)] & live;
        const uint32_t lanes = mask_of([=](int lane) { return (m[lane] & live) == named; }) & w.mask;
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

// Who takes part: the lanes of a member mask, or (the older forms, before sm_70) those that stand here, whose
// mask is all ones.
enum class Members : uint8_t { masked, active };

// The slot of operand k, the member mask.
inline uint32_t members(Lowering& l, size_t k) {
    return l.in->modifiers.sync ? source(l, k, ptx::Type::b32) : constant(l, 4, kAllLanes);
}

Selected lower_shuffle(Lowering& l);

}  // namespace wl::emulator
