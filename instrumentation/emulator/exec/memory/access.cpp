// Models bounds and alignment of every address space: an access outside is suppressed and noted. Not
// modelled: page granularity of real memory, where an overrun may go unnoticed.
#include "instrumentation/emulator/machine/access.h"

#include "instrumentation/emulator/memory/heap.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/load.h"
#include "instrumentation/emulator/schedule/frames.h"

namespace wl::emulator {
namespace {

struct Window {
    ptx::Space space;
    std::byte* data;
    uint64_t bytes;
};

ptx::Space space_of(uint64_t address) {
    switch (address & kWindowMask) {
        case kSharedBase: return ptx::Space::shared;
        case kLocalBase: return ptx::Space::local;
        case kConstantBase: return ptx::Space::constant;
        case kParamBase: return ptx::Space::param;
        default: return ptx::Space::global;
    }
}

Window window(Warp& w, ptx::Space space, int lane) {
    Block& b = *w.block;
    auto* constants = const_cast<std::byte*>(b.context.loaded->constant_bank.data());
    auto* params = const_cast<std::byte*>(b.context.launch->params.data());
    switch (space) {
        case ptx::Space::shared: return {space, w.shared, w.shared_bytes};
        case ptx::Space::local: return {space, stack_of(w, lane), w.stack.top[static_cast<size_t>(lane)]};
        case ptx::Space::constant: return {space, constants, b.context.loaded->constant_bank.size()};
        case ptx::Space::param: return {space, params, b.context.launch->params.size()};
        default: return {space, nullptr, 0};
    }
}

const char* name_of_space(ptx::Space space) {
    switch (space) {
        case ptx::Space::shared: return "shared";
        case ptx::Space::local: return "local";
        case ptx::Space::constant: return "const";
        case ptx::Space::param: return "param";
        default: return "global";
    }
}

// The allocation whose extent or following gap holds the address: the one that was overrun.
std::string nearest_allocation(GlobalMemory& memory, uint64_t address) {
    const Allocation* best = nullptr;
    uint64_t distance = 0;
    for (const Allocation& a : memory.allocations) {
        const uint64_t end = a.base + a.bytes.size();
        const uint64_t d = address < a.base ? a.base - address : address < end ? 0 : address - end;
        if (best == nullptr || d < distance) {
            best = &a;
            distance = d;
        }
    }
    return best != nullptr && distance < (1 << 20) ? " " + best->name : "";
}

void report_access(
    Warp& w, const Instr* i, const LaneAccess& access, Incident::Kind kind, std::string memory
) {
    Incident incident;
    incident.kind = kind;
    incident.first = witness(w, i, 1u << access.lane);
    incident.first.address = access.address;
    incident.first.bytes = access.bytes;
    incident.first.write = access.write;
    incident.first.memory = std::move(memory);
    report(*w.block, std::move(incident));
}

std::string memory_name(const Warp& w, const Instr* i, ptx::Space space, uint64_t address) {
    if (space != ptx::Space::global) return name_of_space(space);
    if (const Allocation* meant = w.block->meant[i->site]) return "global " + meant->name;
    if (Heap* heap = w.block->context.memory->heap.get(); heap != nullptr)
        if (std::string piece = describe(*heap, address); !piece.empty()) return piece;
    return "global" + nearest_allocation(*w.block->context.memory, address);
}

// A generic address becomes one of its window. Constants lie in global memory on a GPU, and compilers load
// them by ld.global where a pointer to them comes from memory.
LaneAccess specific(LaneAccess access) {
    const bool constant =
        access.space == ptx::Space::global && (access.address & kWindowMask) == kConstantBase;
    if (access.space != ptx::Space::generic && !constant) return access;
    access.space = space_of(access.address);
    if (access.space != ptx::Space::global) access.address &= ~kWindowMask;
    return access;
}

std::optional<Place> locate_in_heap(GlobalMemory& memory, const LaneAccess& access) {
    if (memory.heap == nullptr) return {};
    const auto offset = find(*memory.heap, access.address, access.bytes);
    if (!offset) return {};
    Allocation& arena = memory.heap->arena;
    return Place{ptx::Space::global, arena.bytes.data() + *offset, &arena, *offset};
}

// What else lies there is not meant by a pointer into another allocation. On a GPU the access would be made,
// and so it is here.
void check_meant(Warp& w, const Instr* i, const LaneAccess& access, const Place& place) {
    const Allocation* meant = w.block->meant[i->site];
    if (meant == nullptr || place.allocation == nullptr || place.allocation == meant) return;
    LaneAccess faulty = specific(access);
    report_access(w, i, faulty, Incident::Kind::out_of_bounds, "global " + meant->name);
}

}  // namespace

std::optional<Place> locate(Warp& w, LaneAccess access) {
    access = specific(access);
    if (access.space == ptx::Space::global) {
        Allocation* allocation = find(*w.block->context.memory, access.address, access.bytes);
        if (allocation == nullptr) return locate_in_heap(*w.block->context.memory, access);
        const uint64_t offset = access.address - allocation->base;
        return Place{ptx::Space::global, allocation->bytes.data() + offset, allocation, offset};
    }
    const Window there = window(w, access.space, access.lane);
    const bool read_only = access.space == ptx::Space::constant || access.space == ptx::Space::param;
    const bool inside = access.address <= there.bytes && access.bytes <= there.bytes - access.address;
    if (!inside || (read_only && access.write)) return {};
    if (access.space == ptx::Space::local && !on_stack(w, access.lane, access.address, access.bytes))
        return {};
    return Place{access.space, there.data + access.address, nullptr, access.address};
}

std::optional<Place> resolve_aligned(Warp& w, const Instr* i, const LaneAccess& access, uint32_t align) {
    const std::optional<Place> place = locate(w, access);
    const bool aligned = access.address % align == 0;
    if (place) check_meant(w, i, access, *place);
    if (place && aligned) return place;
    const auto kind = place ? Incident::Kind::misaligned : Incident::Kind::out_of_bounds;
    if (count_again(*w.block, kind, i->site)) return {};  // a loop may run far outside
    const LaneAccess faulty = specific(access);
    report_access(w, i, faulty, kind, memory_name(w, i, faulty.space, faulty.address));
    return {};
}

std::optional<Place> resolve(Warp& w, const Instr* i, const LaneAccess& access) {
    return resolve_aligned(w, i, access, access.bytes);
}

bool global_addresses(Warp& w, const Instr* i, uint32_t bytes, GlobalAddresses& out) {
    const uint64_t* base = cells<uint64_t>(w, i->r[4]);
    const auto displacement = static_cast<uint64_t>(i->offset);
    const int first = first_lane(w.mask);
    const uint64_t first_address = base[first] + displacement;
    Block& b = *w.block;
    Allocation* allocation = b.recent[i->site];
    if (allocation == nullptr || first_address - allocation->base >= allocation->bytes.size()) {
        allocation = find(*b.context.memory, first_address, bytes);
        if (allocation == nullptr) return false;
        if (b.meant[i->site] != nullptr && b.meant[i->site] != allocation) return false;  // lane by lane
        b.recent[i->site] = allocation;
    }
    const uint64_t start = displacement - allocation->base;
    const uint64_t active = first_address - allocation->base;
    uint64_t low = ~uint64_t{0}, high = 0, bits = 0;
    const uint32_t mask = w.mask;
    WL_FOR_LANES {
        const uint64_t offset = (mask >> lane & 1) != 0 ? base[lane] + start : active;
        out.at[lane] = offset;
        low = offset < low ? offset : low;
        high = offset > high ? offset : high;
        bits |= offset + allocation->base;
    }
    out.allocation = allocation;
    out.low = low;
    out.high = high;
    const uint64_t size = allocation->bytes.size();
    return high < size && size - high >= bytes && (bits & (bytes - 1)) == 0;
}

}  // namespace wl::emulator
