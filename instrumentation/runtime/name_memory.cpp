#include "instrumentation/runtime/name_memory.h"

#include "instrumentation/runtime/host_access.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace wl::runtime {
namespace {

using execution::Incident;

bool holds_address(std::span<const std::byte> params, const FreedRegion& f) {
    for (size_t at = 0; at + sizeof(uint64_t) <= params.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, params.data() + at, sizeof word);
        if (word >= f.base && word < f.base + f.bytes) return true;
    }
    return false;
}

// The word of the parameters that lies closest below the address: what the access was computed from, as far
// as its parameters tell.
uint64_t parameter_below(std::span<const std::byte> params, uint64_t address) {
    uint64_t closest = 0;
    for (size_t at = 0; at + sizeof(uint64_t) <= params.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, params.data() + at, sizeof word);
        if (word <= address) closest = std::max(closest, word);
    }
    return closest;
}

// Memory of the program that no call made visible to kernels: it is far from all that is visible, or the
// launch was given a pointer to it.
std::string host_memory_at(const DeviceMemory& memory, std::span<const std::byte> params, const Incident& i) {
    if (!i.first.memory.starts_with("global")) return {};
    const uint64_t from = parameter_below(params, i.first.address);
    const auto behind = memory.regions.upper_bound(i.first.address);
    const bool below = behind != memory.regions.begin();
    const uint64_t visible = below ? std::prev(behind)->second.base + std::prev(behind)->second.bytes : 0;
    const bool given = visible <= from && !host_memory_name(from).empty();
    return given || i.first.memory == "global" ? host_memory_name(i.first.address) : "";
}

}  // namespace

void name_memory(
    const DeviceMemory& memory, std::span<const std::byte> params, std::vector<Incident>& incidents
) {
    for (Incident& i : incidents) {
        if (i.kind != Incident::Kind::out_of_bounds) continue;
        if (const FreedRegion* f = freed_at(memory, i.first.address); f != nullptr) {
            i.detail = fmt::format(
                "{} bytes into {}, which the program had freed", i.first.address - f->base, f->name
            );
            if (holds_address(params, *f)) i.first.memory = "freed global";
        } else if (std::string host = host_memory_at(memory, params, i); !host.empty()) {
            i.first.memory = std::move(host);
        }
    }
}

}  // namespace wl::runtime
