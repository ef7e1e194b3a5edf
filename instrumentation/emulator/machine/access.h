// Addresses of one memory instruction: where each lane points, and what is there.
#pragma once

#include "instrumentation/emulator/contract.h"
#include "instrumentation/emulator/machine/simd.h"

#include <optional>

namespace wl::emulator {

// The address of a function, by its index in Module::functions: the same for every entry of the module.
constexpr uint64_t function_address(int index) {
    return kCodeBase + (static_cast<uint64_t>(index) + 1) * sizeof(Instr);
}

// What a memory instruction moves. Packed into Instr::target; the data lie in slots r[0..3], the base in
// r[4].
struct MemoryForm {
    ptx::Space space = ptx::Space::generic;
    uint8_t element = 4;  // bytes in memory: 1, 2, 4, 8
    uint8_t count = 1;    // elements of the vector
    bool is_signed = false;
    bool wide_cells = false;  // registers have 8-byte cells
    bool wide_base = false;
    bool is_volatile = false;
};
constexpr int32_t encode(MemoryForm f) {
    return static_cast<int32_t>(f.space) | f.element << 4 | f.count << 8 | (f.is_signed ? 1 << 12 : 0) |
        (f.wide_cells ? 1 << 13 : 0) | (f.wide_base ? 1 << 14 : 0) | (f.is_volatile ? 1 << 15 : 0);
}
constexpr MemoryForm decode(int32_t bits) {
    return {
        static_cast<ptx::Space>(bits & 0xf),
        static_cast<uint8_t>(bits >> 4 & 0xf),
        static_cast<uint8_t>(bits >> 8 & 0xf),
        (bits >> 12 & 1) != 0,
        (bits >> 13 & 1) != 0,
        (bits >> 14 & 1) != 0,
        (bits >> 15 & 1) != 0};
}

// Offsets in the shared window. Inactive lanes repeat an active one, so that all 32 may be touched.
struct SharedAddresses {
    alignas(64) uint32_t at[kLanes];
    uint32_t low = 0, high = 0, bits = 0;  // smallest, largest, all of them or-ed
};
inline void shared_addresses(Warp& w, const Instr* i, bool wide, SharedAddresses& out) {
    const auto displacement = static_cast<uint64_t>(i->offset);
    if (wide) {
        const uint64_t* base = cells<uint64_t>(w, i->r[4]);
        WL_FOR_LANES {
            const uint64_t address = base[lane] + displacement;
            out.at[lane] = address > 0xffffffff ? 0xffffffff : static_cast<uint32_t>(address);
        }
    } else {
        const uint32_t* base = cells<uint32_t>(w, i->r[4]);
        WL_FOR_LANES out.at[lane] = base[lane] + static_cast<uint32_t>(displacement);
    }
    if (w.mask != kAllLanes) {
        const uint32_t active = out.at[first_lane(w.mask)];
        WL_FOR_LANES out.at[lane] = (w.mask >> lane & 1) != 0 ? out.at[lane] : active;
    }
    uint32_t low = ~0u, high = 0, bits = 0;
    for (const uint32_t at : out.at) {
        low = at < low ? at : low;
        high = at > high ? at : high;
        bits |= at;
    }
    out.low = low;
    out.high = high;
    out.bits = bits;
}
// All lanes in bounds and aligned to `bytes`.
inline bool all_valid(const Warp& w, const SharedAddresses& a, uint32_t bytes) {
    return uint64_t{a.high} + bytes <= w.shared_bytes && (a.bits & (bytes - 1)) == 0;
}
// Lane k points `stride` bytes past lane k-1.
inline bool consecutive(const SharedAddresses& a, uint32_t stride) {
    if (a.high - a.low != stride * (kLanes - 1)) return false;
    uint32_t difference = 0;
    WL_FOR_LANES difference |= a.at[lane] ^ (a.low + static_cast<uint32_t>(lane) * stride);
    return difference == 0;
}

// Offsets in one allocation, when all lanes lie in the same one.
struct GlobalAddresses {
    alignas(64) uint64_t at[kLanes];
    Allocation* allocation = nullptr;
    uint64_t low = 0, high = 0;
};
// False: some lane is out of bounds or misaligned, or the lanes lie in several allocations.
bool global_addresses(Warp& w, const Instr* i, uint32_t bytes, GlobalAddresses& out);

// Where one lane's access of `bytes` bytes lands. Reports what is out of bounds or misaligned.
struct Place {
    ptx::Space space = ptx::Space::none;  // resolved: never generic
    std::byte* data = nullptr;
    Allocation* allocation = nullptr;
    uint64_t offset = 0;  // in the window or the allocation
};
struct LaneAccess {
    ptx::Space space = ptx::Space::generic;
    int lane = 0;
    uint64_t address = 0;
    uint32_t bytes = 0;
    bool write = false;
};
std::optional<Place> resolve(Warp& w, const Instr* i, const LaneAccess& access);
// The same without a word: any alignment, nothing is reported.
std::optional<Place> locate(Warp& w, LaneAccess access);
// The same where the alignment is not the access's size (cp.async with a shorter source).
std::optional<Place> resolve_aligned(Warp& w, const Instr* i, const LaneAccess& access, uint32_t align);

// The address of one lane of a memory instruction.
inline uint64_t address_of(Warp& w, const Instr* i, bool wide_base, int lane) {
    const auto displacement = static_cast<uint64_t>(i->offset);
    if (wide_base) return cells<uint64_t>(w, i->r[4])[lane] + displacement;
    return static_cast<uint32_t>(cells<uint32_t>(w, i->r[4])[lane] + static_cast<uint32_t>(displacement));
}

// Where a lane points by a memory site, without its requests' lines and bytes.
inline uint64_t address_of(Warp& w, const MemorySite& site, int lane) {
    const auto displacement = static_cast<uint64_t>(site.displacement);
    if (site.wide) return cells<uint64_t>(w, site.slot)[lane] + displacement;
    return static_cast<uint32_t>(cells<uint32_t>(w, site.slot)[lane] + static_cast<uint32_t>(displacement));
}

}  // namespace wl::emulator
