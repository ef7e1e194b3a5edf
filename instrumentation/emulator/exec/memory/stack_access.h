// ld and st of local memory whose lanes all point into one activation's part of their stacks.
#pragma once

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/schedule/frames.h"

#include <cstring>

namespace wl::emulator {

// Where each lane points on its own stack. Inactive lanes point where an active one does, so that all 32 may
// be touched.
struct StackAddresses {
    alignas(64) std::byte* at[kLanes];
};

// False: some lane points elsewhere, or is out of bounds or misaligned. `base`: of the window, 0 where the
// instruction names it.
inline bool stack_addresses(Warp& w, const Instr* i, uint32_t bytes, uint64_t base, StackAddresses& out) {
    const uint64_t* addresses = cells<uint64_t>(w, i->r[4]);
    const uint64_t offset = static_cast<uint64_t>(i->offset) - base;
    const uint32_t mask = w.mask;
    const int first = first_lane(mask);
    const uint64_t active = addresses[first] + offset;
    alignas(64) uint32_t at[kLanes];
    uint64_t all = 0;
    WL_FOR_LANES {
        const uint64_t address = (mask >> lane & 1) != 0 ? addresses[lane] + offset : active;
        all |= address;
        at[lane] = static_cast<uint32_t>(address);
    }
    if (all >> 32 != 0 || (all & (bytes - 1)) != 0) return false;
    const Frame* frame = w.frame;
    const uint32_t* end = w.stack.top.data();
    for (; frame != nullptr && at[first] < frame->base[static_cast<size_t>(first)]; frame = frame->parent)
        end = frame->below.data();
    if (frame == nullptr) return false;
    const uint32_t* begin = frame->base.data();
    uint32_t outside = 0;
    WL_FOR_LANES {
        const bool inside = at[lane] >= begin[lane] && uint64_t{at[lane]} + bytes <= end[lane];
        outside |= (mask >> lane & 1) & (inside ? 0u : 1u);
    }
    if (outside != 0) return false;
    for (int lane = 0; lane < kLanes; ++lane)
        out.at[lane] = stack_of(w, (mask >> lane & 1) != 0 ? lane : first) + at[lane];
    return true;
}

template <class T, size_t Count>
bool load_from_stack(Warp& w, const Instr* i, uint64_t base) {
    StackAddresses a;
    if (!stack_addresses(w, i, sizeof(T) * Count, base, a)) return false;
    for (size_t c = 0; c < Count; ++c)
        write_lanes<T>(w, i->r[c], [&](int lane) {
            T value;
            std::memcpy(&value, a.at[lane] + c * sizeof(T), sizeof(T));
            return value;
        });
    return true;
}

template <class T, size_t Count>
bool store_to_stack(Warp& w, const Instr* i, uint64_t base) {
    StackAddresses a;
    if (!stack_addresses(w, i, sizeof(T) * Count, base, a)) return false;
    const LaneCell<T>* source[Count];
    for (size_t c = 0; c < Count; ++c) source[c] = cells<T>(w, i->r[c]);
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        T element[Count];
        for (size_t c = 0; c < Count; ++c) element[c] = static_cast<T>(source[c][lane]);
        std::memcpy(a.at[lane], element, sizeof(element));
    }
    return true;
}

}  // namespace wl::emulator
