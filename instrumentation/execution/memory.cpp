// The device address space of a run: where allocations lie, and which one holds an address.
#include "instrumentation/execution/memory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace wl::execution {

uint32_t texel_bytes(const Texture& t) { return t.channels * static_cast<uint32_t>(size_of(t.dtype)); }

uint64_t texture_bytes(const Texture& t) {
    return uint64_t{texel_bytes(t)} * pitch(t) * t.extent[1] * slices(t);
}

uint64_t allocate(GlobalMemory& memory, std::string name, std::vector<std::byte> bytes, bool initialised) {
    constexpr uint64_t kAlign = 256;
    constexpr uint64_t kGap = 64 << 10;
    uint64_t base = kGlobalBase;
    if (!memory.allocations.empty()) {
        const Allocation& last = memory.allocations.back();
        base = (last.base + last.bytes.size() + kGap + kAlign - 1) / kAlign * kAlign;
    }
    Allocation& made = memory.allocations.emplace_back();
    made.name = std::move(name);
    made.base = base;
    if (!initialised) made.written.assign(bytes.size(), 0);
    made.bytes = std::move(bytes);
    return base;
}

uint64_t place(GlobalMemory& memory, std::string name, uint64_t base, std::vector<std::byte> bytes) {
    auto& all = memory.allocations;
    const auto behind = std::upper_bound(all.begin(), all.end(), base, [](uint64_t a, const Allocation& x) {
        return a < x.base;
    });
    all.insert(behind, Allocation{std::move(name), base, std::move(bytes), {}, {}});
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
    auto& all = memory.allocations;
    const auto after = std::upper_bound(all.begin(), all.end(), address, [](uint64_t a, const Allocation& x) {
        return a < x.base;
    });
    if (after == all.begin()) return nullptr;
    Allocation& candidate = *std::prev(after);
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
