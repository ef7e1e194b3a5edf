// Memory, pools and events of several processes. What a handle names is found as long as the process that
// gave it has it. An interprocess event is recorded when all work before it is over, so that nothing has to
// wait for it in another process; that kernels of two processes race is not seen.
#include "instrumentation/runtime/interprocess.h"

#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/pools.h"
#include "shim/cudart/state.h"
#include "shim/cudart/streams.h"

#include <array>
#include <bit>
#include <cstring>
#include <fcntl.h>
#include <map>

using namespace wl::cudart;
using wl::runtime::FilePointer;
using wl::runtime::Region;
using wl::runtime::SharedName;

namespace {

template <class Handle>
Handle handle_of(const SharedName& name) {
    static_assert(sizeof(SharedName) <= sizeof(Handle));
    Handle out{};
    std::memcpy(&out, &name, sizeof name);
    return out;
}

template <class Handle>
SharedName name_in(const Handle& handle) {
    std::array<std::byte, sizeof(SharedName)> bytes;
    std::memcpy(bytes.data(), &handle, bytes.size());
    return std::bit_cast<SharedName>(bytes);
}

// Allocations that cudaIpcOpenMemHandle gave, by their addresses.
struct Opened {
    SharedName name;
    int times = 0;
};
std::map<uint64_t, Opened>& opened() {
    static auto* const kOpened = new std::map<uint64_t, Opened>;
    return *kOpened;
}

cudaError_t export_region(SharedName* out, const void* pointer) {
    const Call call = begin();
    if (const cudaError_t error = sticky_error(call.machine); error != cudaSuccess) return done(error);
    const Region* region = wl::runtime::region_of(call.machine.memory, address_of(pointer));
    const FilePointer file =
        region == nullptr ? nullptr : wl::runtime::share(call.machine.memory, region->base);
    if (file == nullptr) return done(cudaErrorInvalidValue);
    *out = wl::runtime::name_of(*file, region->bytes);
    return cudaSuccess;
}

cudaError_t import_region(void** out, const SharedName& name) {
    const Call call = begin();
    if (const cudaError_t error = sticky_error(call.machine); error != cudaSuccess) return done(error);
    if (wl::runtime::is_of_this_process(name)) return done(cudaErrorDeviceUninitialized);
    const FilePointer file = wl::runtime::find_file(name);
    if (file == nullptr) {
        wl::runtime::tell_note(
            call.machine,
            "the program opens memory of another process that is not there: it was freed, that process is "
            "over, "
            "or the handle is none"
        );
        return done(cudaErrorInvalidValue);
    }
    const uint64_t base = wl::runtime::add_shared(call.machine.memory, file, name.bytes);
    if (base == 0) return done(cudaErrorMapBufferObjectFailed);
    *out = pointer_of(base);
    return cudaSuccess;
}

bool is_descriptor(cudaMemAllocationHandleType type) { return type == cudaMemHandleTypePosixFileDescriptor; }

}  // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* out, void* pointer) {
    if (out == nullptr || pointer == nullptr) return done(cudaErrorInvalidValue);
    SharedName name;
    const cudaError_t error = export_region(&name, pointer);
    if (error == cudaSuccess) *out = handle_of<cudaIpcMemHandle_t>(name);
    return error;
}

cudaError_t cudaIpcOpenMemHandle(void** out, cudaIpcMemHandle_t handle, unsigned flags) {
    if (out == nullptr || flags != cudaIpcMemLazyEnablePeerAccess) return done(cudaErrorInvalidValue);
    const SharedName name = name_in(handle);
    const Call call = begin();
    for (auto& [base, known] : opened()) {
        if (std::memcmp(&known.name, &name, sizeof name) != 0) continue;
        ++known.times;
        *out = pointer_of(base);
        return cudaSuccess;
    }
    const cudaError_t error = import_region(out, name);
    if (error == cudaSuccess) opened()[address_of(*out)] = {name, 1};
    return error;
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
    const Call call = begin();
    const auto found = opened().find(address_of(pointer));
    if (found == opened().end()) return done(cudaErrorInvalidValue);
    if (--found->second.times > 0) return cudaSuccess;
    wl::runtime::release(call.machine.memory, found->first, {Region::Kind::device});
    opened().erase(found);
    return cudaSuccess;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* out, cudaEvent_t event) {
    if (out == nullptr) return done(cudaErrorInvalidValue);
    if (event == nullptr) return done(cudaErrorInvalidValue);
    if (const cudaError_t error = usable(event); error != cudaSuccess) return done(error);
    if ((event_of(event)->flags & cudaEventInterprocess) == 0) return done(cudaErrorInvalidResourceHandle);
    *out = {};
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* out, cudaIpcEventHandle_t /*handle*/) {
    if (out == nullptr) return done(cudaErrorInvalidValue);
    return cudaEventCreateWithFlags(out, cudaEventInterprocess | cudaEventDisableTiming);
}

// The descriptor is the program's to close.
cudaError_t cudaMemPoolExportToShareableHandle(
    void* out, cudaMemPool_t pool, cudaMemAllocationHandleType type, unsigned flags
) {
    if (out == nullptr || flags != 0 || !is_descriptor(type) || !is_exported(pool))
        return done(cudaErrorInvalidValue);
    if (!wl::runtime::is_writable(out, sizeof(int))) return done(cudaErrorInvalidValue);
    const FilePointer file = wl::runtime::make_file(0);
    const int descriptor = file == nullptr ? -1 : fcntl(file->number, F_DUPFD, 0);
    if (descriptor < 0) return done(cudaErrorOperatingSystem);
    *static_cast<int*>(out) = descriptor;
    return cudaSuccess;
}

cudaError_t cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t* out, void* handle, cudaMemAllocationHandleType type, unsigned flags
) {
    const auto descriptor = static_cast<int>(reinterpret_cast<intptr_t>(handle));
    if (out == nullptr || flags != 0 || !is_descriptor(type)) return done(cudaErrorInvalidValue);
    if (wl::runtime::same_file(descriptor) == nullptr) return done(cudaErrorUnknown);
    return cudaDeviceGetDefaultMemPool(out, 0);
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* out, void* pointer) {
    if (out == nullptr || pointer == nullptr) return done(cudaErrorInvalidValue);
    SharedName name;
    const cudaError_t error = export_region(&name, pointer);
    if (error == cudaSuccess) *out = handle_of<cudaMemPoolPtrExportData>(name);
    return error;
}

cudaError_t cudaMemPoolImportPointer(void** out, cudaMemPool_t pool, cudaMemPoolPtrExportData* data) {
    if (out == nullptr || pool == nullptr || data == nullptr) return done(cudaErrorInvalidValue);
    return import_region(out, name_in(*data));
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* out, cudaMemPool_t, cudaMemLocation* location) {
    if (out == nullptr || location == nullptr) return done(cudaErrorInvalidValue);
    *out = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}
}
