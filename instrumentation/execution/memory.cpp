// The device address space of a run: where allocations lie, and which one holds an address.
#include "instrumentation/execution/memory.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace wl::execution {

uint32_t texel_bytes(const Texture& t) { return t.channels * static_cast<uint32_t>(size_of(t.dtype)); }

uint64_t texture_bytes(const Texture& t) {
    return uint64_t{texel_bytes(t)} * pitch(t) * t.extent[1] * slices(t);
}

namespace {

constexpr uint64_t kEndOfGlobal = ~kWindowMask + 1;  // where the other windows begin

// The first allocation that begins behind the address.
size_t first_behind(const GlobalMemory& memory, uint64_t address) {
    const auto& all = memory.allocations;
    const auto behind = std::upper_bound(
        all.begin(), all.end(), address, [](uint64_t a, const Allocation& x) { return a < x.base; }
    );
    return static_cast<size_t>(behind - all.begin());
}

// Where so many bytes fit, with a gap on both sides: after all allocations and what a host can map, or, where
// those end too high, between two of them, or before the first.
uint64_t room_for(const GlobalMemory& memory, uint64_t bytes) {
    constexpr uint64_t kAlign = 256, kGap = 64 << 10;
    const auto& all = memory.allocations;
    if (all.empty()) return kGlobalBase;
    uint64_t limit = kEndOfGlobal;
    for (size_t k = all.size() + 1; k-- > 0;) {
        const uint64_t end = k == 0 ? 0 : all[k - 1].base + all[k - 1].bytes.size();
        const uint64_t next = (end + kGap + kAlign - 1) / kAlign * kAlign;
        const uint64_t base = k == all.size() ? std::max(next, kGlobalBase) : next;
        if (base <= limit && bytes <= limit - base) return base;
        if (k > 0) limit = all[k - 1].base - std::min(all[k - 1].base, kGap);
    }
    throw Error(fmt::format("there is no room for {} bytes between the allocations of the launch", bytes));
}

}  // namespace

uint64_t allocate(GlobalMemory& memory, std::string name, std::vector<std::byte> bytes, bool initialised) {
    Allocation made{std::move(name), room_for(memory, bytes.size()), std::move(bytes), {}, {}};
    if (!initialised) made.written.assign(made.bytes.size(), 0);
    const uint64_t base = made.base;
    const auto at = static_cast<std::ptrdiff_t>(first_behind(memory, base));
    memory.allocations.insert(memory.allocations.begin() + at, std::move(made));
    return base;
}

uint64_t place(GlobalMemory& memory, std::string name, uint64_t base, std::vector<std::byte> bytes) {
    auto& all = memory.allocations;
    if (base >= kEndOfGlobal || bytes.size() > kEndOfGlobal - base)
        throw Error(fmt::format(
            "{}: {} bytes at {:#x} leave the addresses that global memory has here, which end at {:#x}",
            name,
            bytes.size(),
            base,
            kEndOfGlobal
        ));
    const size_t at = first_behind(memory, base);
    const Allocation* before = at > 0 ? &all[at - 1] : nullptr;
    const bool hits_before =
        before != nullptr && !bytes.empty() && base - before->base < before->bytes.size();
    const bool hits_behind = at < all.size() && bytes.size() > all[at].base - base;
    if (hits_before || hits_behind)
        throw Error(fmt::format(
            "{}: {} bytes at {:#x} share some with {}",
            name,
            bytes.size(),
            base,
            hits_before ? before->name : all[at].name
        ));
    all.insert(
        all.begin() + static_cast<std::ptrdiff_t>(at),
        Allocation{std::move(name), base, std::move(bytes), {}, {}}
    );
    return base;
}

GlobalMemory copy_of(const GlobalMemory& memory) {
    GlobalMemory copy = memory;
    if (memory.heap == nullptr) return copy;
    copy.heap = std::make_shared<Heap>();
    copy.heap->arena = memory.heap->arena;
    copy.heap->pieces = memory.heap->pieces;
    copy.heap->next = memory.heap->next;
    return copy;
}

uint64_t add_texture(GlobalMemory& memory, Texture texture) {
    memory.textures.push_back(std::move(texture));
    return kTextureBase | memory.textures.size();
}

const Texture* find_texture(const GlobalMemory& memory, uint64_t handle) {
    const uint64_t number = handle ^ kTextureBase;
    return number >= 1 && number <= memory.textures.size() ? &memory.textures[number - 1] : nullptr;
}

Allocation* find(GlobalMemory& memory, uint64_t address, uint64_t size) {
    // What begins there and is empty holds no access of what lies around it.
    size_t k = first_behind(memory, address);
    while (k > 1 && size > 0 && memory.allocations[k - 1].bytes.empty()) --k;
    if (k == 0) return nullptr;
    Allocation& candidate = memory.allocations[k - 1];
    const uint64_t offset = address - candidate.base;
    const uint64_t bytes = candidate.bytes.size();
    return offset <= bytes && size <= bytes - offset ? &candidate : nullptr;
}

const Allocation* find_named(const GlobalMemory& memory, std::string_view name) {
    const auto& all = memory.allocations;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Allocation& a) { return a.name == name; });
    return found == all.end() ? nullptr : &*found;
}

Allocation* find_named(GlobalMemory& memory, std::string_view name) {
    return const_cast<Allocation*>(find_named(std::as_const(memory), name));
}

}  // namespace wl::execution
