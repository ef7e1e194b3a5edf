// Allocations: of the device, managed, pinned and registered; pools give what the device does.
#include "shim/cudart/state.h"
#include "shim/cudart/streams.h"

#include <cstring>
#include <string>

using namespace wl::cudart;
using wl::runtime::Region;
using Kind = wl::runtime::Region::Kind;

namespace {

cudaError_t allocate(void** out, size_t bytes, Kind kind) {
    if (out == nullptr) return done(cudaErrorInvalidValue);
    const Call call = kind == Kind::device ? begin_without_looking() : begin();
    if (const cudaError_t error = lasting(call.machine); error != cudaSuccess) return done(error);
    *out = nullptr;
    if (bytes == 0) return cudaSuccess;
    uint64_t made = wl::runtime::make(call.machine.memory, bytes, kind);
    if (made == 0 && wl::runtime::is_waiting(call.machine)) {
        wl::runtime::catch_up(call.machine);  // it may give memory back
        made = wl::runtime::make(call.machine.memory, bytes, kind);
    }
    if (made == 0) return done(cudaErrorMemoryAllocation);
    *out = pointer_of(made);
    return cudaSuccess;
}

// Memory of the device that what waits may still use is given back behind that.
bool is_released_later(wl::runtime::Machine& machine, uint64_t address) {
    const auto found = machine.memory.regions.find(address);
    if (!wl::runtime::is_waiting(machine) || found == machine.memory.regions.end() ||
        found->second.kind != Kind::device || !machine.later.freed.insert(address).second)
        return false;
    wl::runtime::put_off(machine, [&machine, address] {
        wl::runtime::release(machine.memory, address, {Kind::device});
    });
    return true;
}

// What is wrong about it.
std::string what_is_freed(const wl::runtime::DeviceMemory& memory, uint64_t address) {
    if (const auto* freed = wl::runtime::freed_at(memory, address)) return freed->name + " once more";
    const Region* region = wl::runtime::region_of(memory, address);
    if (region == nullptr) return "memory of the host, or what is no address at all";
    if (region->base == address) return region->name + " by a function for memory of another kind";
    return std::to_string(address - region->base) + " bytes into " + region->name +
        "; only its first byte's address can be freed";
}

cudaError_t release(void* pointer, std::initializer_list<Kind> kinds) {
    const Call call = begin_without_looking();
    if (pointer == nullptr) return cudaSuccess;
    note_graph_memory(address_of(pointer), false);
    if (is_released_later(call.machine, address_of(pointer))) return done(lasting(call.machine));
    wl::runtime::catch_up(call.machine);
    flush_printed(call.machine);
    if (wl::runtime::release(call.machine.memory, address_of(pointer), kinds))
        return done(lasting(call.machine));
    wl::runtime::tell_note(
        call.machine, "the program frees " + what_is_freed(call.machine.memory, address_of(pointer))
    );
    return done(cudaErrorInvalidValue);
}

constexpr size_t kPitch = 512;

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) { return allocate(out, bytes, Kind::device); }

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned /*flags*/) {
    return allocate(out, bytes, Kind::managed);
}

cudaError_t cudaMallocHost(void** out, size_t bytes) { return allocate(out, bytes, Kind::pinned); }

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned /*flags*/) {
    return allocate(out, bytes, Kind::pinned);
}

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
    const cudaError_t made = allocate(out, bytes, Kind::device);
    if (made != cudaSuccess || !is_captured(stream)) return made;
    return submit(stream, cudaGraphNodeTypeMemAlloc, allocation_work(*out));
}

cudaError_t
cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t /*pool*/, cudaStream_t /*stream*/) {
    return allocate(out, bytes, Kind::device);
}

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return allocate(out, *pitch * height, Kind::device);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    const size_t pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
    void* made = nullptr;
    const cudaError_t error = allocate(&made, pitch * extent.height * extent.depth, Kind::device);
    *out = {made, pitch, extent.width, extent.height};
    return error;
}

cudaError_t cudaFree(void* pointer) { return release(pointer, {Kind::device, Kind::managed}); }

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return submit(stream, cudaGraphNodeTypeMemFree, [pointer, stays = is_captured(stream)] {
        if (!stays) return release(pointer, {Kind::device, Kind::managed});
        note_graph_memory(address_of(pointer), false);
        return cudaSuccess;
    });
}

cudaError_t cudaFreeHost(void* pointer) { return release(pointer, {Kind::pinned}); }

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned /*flags*/) {
    if (pointer == nullptr || bytes == 0) return done(cudaErrorInvalidValue);
    const Call call = begin();
    if (!wl::runtime::add_host_memory(call.machine.memory, pointer, bytes))
        return done(cudaErrorHostMemoryAlreadyRegistered);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
    const Call call = begin();
    const bool was = wl::runtime::release(call.machine.memory, address_of(pointer), {Kind::registered});
    return was ? cudaSuccess : done(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned /*flags*/) {
    const Call call = begin();
    const Region* region = wl::runtime::region_of(call.machine.memory, address_of(host));
    if (region == nullptr || region->host == nullptr) return done(cudaErrorInvalidValue);
    *out = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* /*host*/) {
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* left, size_t* total) {
    const Call call = begin();
    *total = wl::runtime::kDeviceBytes;
    *left = *total - wl::runtime::bytes_in_use(call.machine.memory);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
    const Call call = begin();
    *out = {};
    out->hostPointer = const_cast<void*>(pointer);
    const Region* region = wl::runtime::region_of(call.machine.memory, address_of(pointer));
    if (region == nullptr) {
        out->type = cudaMemoryTypeUnregistered, out->device = -2;
        return cudaSuccess;
    }
    out->devicePointer = const_cast<void*>(pointer);
    out->type = region->kind == Kind::managed ? cudaMemoryTypeManaged
        : region->host != nullptr             ? cudaMemoryTypeHost
                                              : cudaMemoryTypeDevice;
    if (region->host == nullptr) out->hostPointer = nullptr;
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }

cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }

// Pools: there is one, and what is freed goes back at once.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int /*device*/) {
    static char one;
    *pool = reinterpret_cast<cudaMemPool_t>(&one);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
    return cudaDeviceGetDefaultMemPool(pool, 0);
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
    const Call call = begin();
    const bool is_int = attribute <= cudaMemPoolReuseAllowInternalDependencies;
    const uint64_t used = wl::runtime::bytes_in_use(call.machine.memory);
    if (is_int)
        std::memset(value, 0, sizeof(int));
    else
        std::memcpy(value, &used, sizeof used);
    return cudaSuccess;
}
}
