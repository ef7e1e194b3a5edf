#include "instrumentation/runtime/carry.h"

#include "instrumentation/capture/capture.h"

#include <algorithm>

namespace wl::runtime {

void carry_out(DeviceMemory& memory, const std::optional<std::vector<uint64_t>>& written) {
    if (!written) return carry_out(memory);
    for (const uint64_t base : *written) carry_out(memory, base);
}

Contents contents_outside(const DeviceMemory& memory) {
    Contents out;
    for (const auto& [base, region] : memory.regions) {
        if (outside(region) == nullptr || region.bytes == 0) continue;
        const auto& all = memory.global.allocations;
        const auto found =
            std::find_if(all.begin(), all.end(), [&, at = base](const auto& a) { return a.base == at; });
        if (found != all.end()) out[base] = capture::content_hash(found->bytes);
    }
    return out;
}

std::vector<uint64_t> changed_since(const DeviceMemory& memory, const Contents& before) {
    std::vector<uint64_t> out;
    for (const auto& [base, hash] : contents_outside(memory)) {
        const auto was = before.find(base);
        if (was == before.end() || was->second != hash) out.push_back(base);
    }
    return out;
}

}  // namespace wl::runtime
