// The device address space of a run: where allocations lie, and which one holds an address.
#include "instrumentation/emulator/memory.h"

#include <algorithm>

namespace wl::emulator {

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

}  // namespace wl::emulator
