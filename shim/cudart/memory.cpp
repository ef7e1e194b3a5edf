// Allocations: of the device, managed, pinned and registered.
#include "instrumentation/runtime/captured.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/residents.h"
#include "shim/cudart/pools.h"
#include "shim/cudart/state.h"
#include "shim/cudart/streams.h"

#include <string>

using namespace wl::cudart;
using wl::runtime::Region;
using Kind = wl::runtime::Region::Kind;

namespace {

constexpr const char* kMeanwhile =
    "the program allocates, registers or frees memory meanwhile, which a launch that is under way does not "
    "see here";

cudaError_t allocate_in_order(void** out, size_t bytes, Kind kind) {
    const Call call = kind == Kind::device ? begin_without_looking() : begin();
    if (const cudaError_t error = sticky_error(call.machine); error != cudaSuccess) return done(error);
    // Memory of the device comes after all that there is; of the host, it would move what launches know.
    if (kind != Kind::device || call.machine.memory.global.heap != nullptr)
        wl::runtime::end_residents(call.machine, kMeanwhile);
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

cudaError_t allocate(void** out, size_t bytes, Kind kind) {
    if (const cudaError_t error = unsafe_while_captured(); error != cudaSuccess) return done(error);
    return allocate_in_order(out, bytes, kind);
}

// Memory of the device that what waits may still use is given back behind that.
bool is_released_later(wl::runtime::Machine& machine, uint64_t address) {
    const auto found = machine.memory.regions.find(address);
    if (!wl::runtime::is_waiting(machine) || found == machine.memory.regions.end() ||
        found->second.kind != Kind::device || !machine.later.freed.insert(address).second)
        return false;
    wl::runtime::defer(machine, [&machine, address] {
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
    wl::runtime::end_residents(call.machine, kMeanwhile);
    wl::runtime::note_freed(call.machine, address_of(pointer));
    if (is_released_later(call.machine, address_of(pointer))) return done(sticky_error(call.machine));
    wl::runtime::catch_up(call.machine);
    flush_printed(call.machine);
    if (wl::runtime::release(call.machine.memory, address_of(pointer), kinds))
        return done(sticky_error(call.machine));
    wl::runtime::tell_note(
        call.machine, "the program frees " + what_is_freed(call.machine.memory, address_of(pointer))
    );
    return done(cudaErrorInvalidValue);
}

// After what the stream has issued, whatever others do.
cudaError_t release_in_order(void* pointer) {
    {
        const Call call = begin_without_looking();
        const wl::order::OperationPointer operation = wl::runtime::issue(call.machine);
        if (operation != nullptr) wl::runtime::do_held(call.machine, operation->before);
        wl::runtime::note_memory(call.machine, operation, address_of(pointer));
        if (wl::runtime::holds_back(call.machine)) wl::runtime::do_held(call.machine);
    }
    return release(pointer, {Kind::device, Kind::managed});
}

// The host waits for all work that may use it.
cudaError_t release_and_wait(void* pointer, std::initializer_list<Kind> kinds) {
    if (pointer != nullptr) {
        const Call call = begin_without_looking();
        wl::runtime::host_waits_for_device(call.machine);
    }
    return release(pointer, kinds);
}

constexpr size_t kPitch = 512;

// Of a row of so many bytes; 0: there is no such row.
size_t pitch_of(size_t width) {
    return width > SIZE_MAX - kPitch ? 0 : (width + kPitch - 1) / kPitch * kPitch;
}

// Managed memory that holds all of these bytes.
bool is_managed(wl::runtime::Machine& machine, const void* pointer, size_t bytes) {
    const Region* region = wl::runtime::region_of(machine.memory, address_of(pointer));
    return region != nullptr && region->kind == Kind::managed && bytes <= region->bytes &&
        address_of(pointer) - region->base <= region->bytes - bytes;
}

bool is_here(const cudaMemLocation& location) {
    return location.type != cudaMemLocationTypeDevice || location.id == 0;
}

constexpr unsigned kHostFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined,
                   kRegisterFlags = cudaHostRegisterPortable | cudaHostRegisterMapped |
    cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) { return allocate(out, bytes, Kind::device); }

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return done(cudaErrorInvalidValue);
    return allocate(out, bytes, Kind::managed);
}

cudaError_t cudaMallocHost(void** out, size_t bytes) { return allocate(out, bytes, Kind::pinned); }

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
    if ((flags & ~kHostFlags) != 0) return done(cudaErrorInvalidValue);
    return allocate(out, bytes, Kind::pinned);
}

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
    if (const cudaError_t error = usable(stream); error != cudaSuccess) return done(error);
    const cudaError_t made = allocate_in_order(out, bytes, Kind::device);
    if (made != cudaSuccess) return made;
    if (!is_captured(stream))
        return submit(stream, cudaGraphNodeTypeMemAlloc, [address = address_of(*out)] {
            const Call call = begin_without_looking();
            wl::runtime::note_memory(call.machine, wl::runtime::issue(call.machine), address);
            return cudaSuccess;
        });
    return submit(stream, cudaGraphNodeTypeMemAlloc, allocation_work(*out));
}

cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (!is_pool(pool)) return done(cudaErrorInvalidValue);
    return cudaMallocAsync(out, bytes, stream);
}

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
    const size_t row = pitch_of(width);
    if (row == 0 && width != 0) return done(cudaErrorInvalidValue);
    size_t bytes = 0;
    if (__builtin_mul_overflow(row, height, &bytes)) return done(cudaErrorMemoryAllocation);
    *pitch = row;
    return allocate(out, bytes, Kind::device);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
    const size_t row = pitch_of(extent.width);
    if (row == 0 && extent.width != 0) return done(cudaErrorInvalidValue);
    size_t bytes = 0;
    if (__builtin_mul_overflow(row, extent.height, &bytes) ||
        __builtin_mul_overflow(bytes, extent.depth, &bytes))
        return done(cudaErrorMemoryAllocation);
    void* made = nullptr;
    const cudaError_t error = allocate(&made, bytes, Kind::device);
    if (error == cudaSuccess) *out = {made, row, extent.width, extent.height};
    return error;
}

cudaError_t cudaFree(void* pointer) { return release_and_wait(pointer, {Kind::device, Kind::managed}); }

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return submit(stream, cudaGraphNodeTypeMemFree, [pointer, stays = is_captured(stream)] {
        if (!stays) return release_in_order(pointer);
        note_graph_memory(address_of(pointer), false);
        return cudaSuccess;
    });
}

cudaError_t cudaFreeHost(void* pointer) { return release_and_wait(pointer, {Kind::pinned}); }

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    if (pointer == nullptr || bytes == 0 || (flags & ~kRegisterFlags) != 0)
        return done(cudaErrorInvalidValue);
    const Call call = begin();
    wl::runtime::end_residents(call.machine, kMeanwhile);
    const Region* there = wl::runtime::region_of(call.machine.memory, address_of(pointer));
    if (there != nullptr && there->kind != Kind::registered) return done(cudaErrorInvalidValue);
    if (!wl::runtime::is_mapped(pointer, bytes)) return done(cudaErrorInvalidValue);
    if (!wl::runtime::add_host_memory(call.machine.memory, pointer, bytes))
        return done(cudaErrorHostMemoryAlreadyRegistered);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
    if (pointer == nullptr) return done(cudaErrorInvalidValue);
    const Call call = begin();
    const Region* there = wl::runtime::region_of(call.machine.memory, address_of(pointer));
    if (there != nullptr && there->kind != Kind::registered) return done(cudaErrorInvalidValue);
    wl::runtime::end_residents(call.machine, kMeanwhile);
    wl::runtime::note_freed(call.machine, address_of(pointer));
    const bool was = wl::runtime::release(call.machine.memory, address_of(pointer), {Kind::registered});
    return was ? cudaSuccess : done(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
    const Call call = begin();
    const Region* region = wl::runtime::region_of(call.machine.memory, address_of(host));
    if (region == nullptr || region->host == nullptr || flags != 0) return done(cudaErrorInvalidValue);
    *out = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    const Call call = begin();
    const Region* region = wl::runtime::region_of(call.machine.memory, address_of(host));
    if (region == nullptr || region->host == nullptr || region->kind == Kind::managed)
        return done(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* left, size_t* total) {
    const Call call = begin();
    if (total != nullptr) *total = wl::runtime::kDeviceBytes;
    if (left != nullptr) *left = wl::runtime::kDeviceBytes - wl::runtime::bytes_in_use(call.machine.memory);
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

cudaError_t cudaMemAdvise(
    const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location
) {
    const Call call = begin_without_looking();
    const bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    if (!known || bytes == 0 || !is_here(location) || !is_managed(call.machine, pointer, bytes))
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(
    const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags, cudaStream_t stream
) {
    if (const cudaError_t error = usable(stream); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    if (!is_here(location)) return done(cudaErrorInvalidDevice);
    if (flags != 0 || bytes == 0 || !is_managed(call.machine, pointer, bytes))
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned flags) {
    if (const cudaError_t error = usable(stream); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    const Region* region = wl::runtime::region_of(call.machine.memory, address_of(pointer));
    const bool known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    if (!known || region == nullptr || region->kind != Kind::managed ||
        (bytes != 0 && bytes != region->bytes))
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}
}
