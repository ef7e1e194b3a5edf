// How much memory graphs hold. It is there from when a node that allocates is added (graph_nodes.cpp); it
// counts from the first launch that allocates it, and stays reserved, once it is free, until the program
// trims it.
#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/streams.h"

#include <algorithm>
#include <map>

namespace wl::cudart {
namespace {

struct GraphMemory {
    std::map<uint64_t, bool> used;  // by address, of what is reserved
    uint64_t used_high = 0, reserved_high = 0;
};
GraphMemory& graph_memory() {
    static auto* const kMemory = new GraphMemory;
    return *kMemory;
}

uint64_t bytes_of(const runtime::Machine& machine, bool reserved) {
    uint64_t sum = 0;
    for (const auto& [base, used] : graph_memory().used) {
        const auto region = machine.memory.regions.find(base);
        if (region != machine.memory.regions.end() && (used || reserved)) sum += region->second.bytes;
    }
    return sum;
}

}  // namespace

void note_graph_memory(uint64_t base, bool used) {
    const Call call = begin_without_looking();
    GraphMemory& memory = graph_memory();
    if (used || memory.used.contains(base)) memory.used[base] = used;
    memory.used_high = std::max(memory.used_high, bytes_of(call.machine, false));
    memory.reserved_high = std::max(memory.reserved_high, bytes_of(call.machine, true));
}

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    if (device != 0) return done(cudaErrorInvalidDevice);
    const Call call = begin();
    uint64_t bytes = 0;
    switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent: bytes = bytes_of(call.machine, false); break;
        case cudaGraphMemAttrUsedMemHigh: bytes = graph_memory().used_high; break;
        case cudaGraphMemAttrReservedMemCurrent: bytes = bytes_of(call.machine, true); break;
        case cudaGraphMemAttrReservedMemHigh: bytes = graph_memory().reserved_high; break;
        default: return done(cudaErrorInvalidValue);
    }
    return wl::runtime::write_host(value, &bytes, sizeof bytes) ? cudaSuccess : done(cudaErrorInvalidValue);
}

// High marks alone can be set, and to 0 alone.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    if (device != 0) return done(cudaErrorInvalidDevice);
    const Call call = begin_without_looking();
    const bool used = attribute == cudaGraphMemAttrUsedMemHigh;
    uint64_t asked = 0;
    if ((!used && attribute != cudaGraphMemAttrReservedMemHigh) ||
        !wl::runtime::read_host(&asked, value, sizeof asked) || asked != 0)
        return done(cudaErrorInvalidValue);
    (used ? graph_memory().used_high : graph_memory().reserved_high) = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    if (device != 0) return done(cudaErrorInvalidDevice);
    const Call call = begin();
    std::erase_if(graph_memory().used, [](const auto& held) { return !held.second; });
    return cudaSuccess;
}
}
