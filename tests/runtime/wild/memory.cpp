// Allocations, registered memory, pools.
#include "table.h"

#include <cstdlib>

namespace wild {
namespace {

void* out = nullptr;
size_t pitch = 0;
unsigned flags = 0;
int number = 0;

CALL("cudaMalloc null", cudaMalloc(static_cast<void**>(nullptr), 64))
CALL("cudaMalloc wild", cudaMalloc(nowhere<void**>(), 64))
CALL("cudaMalloc 0 bytes", cudaMalloc(&out, 0))
CALL("cudaMalloc all bytes", cudaMalloc(&out, kHuge))
CALL("cudaMalloc 1 TiB", cudaMalloc(&out, kTebibyte))
CALL("cudaMallocHost null", cudaMallocHost(static_cast<void**>(nullptr), 64))
CALL("cudaMallocHost wild", cudaMallocHost(nowhere<void**>(), 64))
CALL("cudaMallocHost 0 bytes", cudaMallocHost(&out, 0))
CALL("cudaMallocHost all bytes", cudaMallocHost(&out, kHuge))
CALL("cudaHostAlloc null", cudaHostAlloc(static_cast<void**>(nullptr), 64, 0))
CALL("cudaHostAlloc flags", cudaHostAlloc(&out, 64, 0x100))
CALL("cudaHostAlloc all flags", cudaHostAlloc(&out, 64, 7))
CALL("cudaMallocManaged null", cudaMallocManaged(static_cast<void**>(nullptr), 64, 1))
CALL("cudaMallocManaged 0 bytes", cudaMallocManaged(&out, 0, 1))
CALL("cudaMallocManaged no flags", cudaMallocManaged(&out, 64, 0))
CALL("cudaMallocManaged flags", cudaMallocManaged(&out, 64, 8))
CALL("cudaMallocPitch null", cudaMallocPitch(static_cast<void**>(nullptr), &pitch, 64, 4))
CALL("cudaMallocPitch null pitch", cudaMallocPitch(&out, nullptr, 64, 4))
CALL("cudaMallocPitch no width", cudaMallocPitch(&out, &pitch, 0, 4))
CALL("cudaMallocPitch no height", cudaMallocPitch(&out, &pitch, 64, 0))
CALL("cudaMallocPitch all width", cudaMallocPitch(&out, &pitch, kHuge, 4))
CALL("cudaMallocPitch all height", cudaMallocPitch(&out, &pitch, 64, kHuge))
CALL("cudaMalloc3D null", cudaMalloc3D(nullptr, {64, 2, 2}))
ROW("cudaMalloc3D nothing", cudaPitchedPtr p; say(cudaMalloc3D(&p, {0, 0, 0})))
ROW("cudaMalloc3D all", cudaPitchedPtr p; say(cudaMalloc3D(&p, {kHuge, kHuge, kHuge})))
CALL("cudaMallocAsync null", cudaMallocAsync(static_cast<void**>(nullptr), 64, nullptr))
CALL("cudaMallocAsync 0 bytes", cudaMallocAsync(&out, 0, nullptr))
CALL("cudaMallocAsync all bytes", cudaMallocAsync(&out, kHuge, nullptr))
CALL("cudaMallocAsync wild stream", cudaMallocAsync(&out, 64, nowhere<cudaStream_t>()))
CALL("cudaMallocAsync destroyed stream", cudaMallocAsync(&out, 64, destroyed_stream()))
CALL("cudaMallocFromPoolAsync null pool", cudaMallocFromPoolAsync(&out, 64, nullptr, nullptr))
CALL(
    "cudaMallocFromPoolAsync wild pool", cudaMallocFromPoolAsync(&out, 64, nowhere<cudaMemPool_t>(), nullptr)
)
CALL("cudaMallocFromPoolAsync destroyed pool", cudaMallocFromPoolAsync(&out, 64, destroyed_pool(), nullptr))
CALL("cudaMallocFromPoolAsync own pool", cudaMallocFromPoolAsync(&out, 64, pool(), nullptr))
CALL(
    "cudaMallocFromPoolAsync destroyed stream", cudaMallocFromPoolAsync(&out, 64, pool(), destroyed_stream())
)
CALL(
    "cudaMallocFromPoolAsync null", cudaMallocFromPoolAsync(static_cast<void**>(nullptr), 64, pool(), nullptr)
)

CALL("cudaFree null", cudaFree(nullptr))
CALL("cudaFree wild", cudaFree(nowhere()))
CALL("cudaFree of malloc", cudaFree(host_memory()))
ROW("cudaFree of the stack", int local = 0; say(cudaFree(&local)))
CALL("cudaFree twice", cudaFree(freed_memory()))
CALL("cudaFree inside", cudaFree(static_cast<char*>(device_memory()) + 4))
CALL("cudaFree pinned", cudaFree(pinned_memory()))
CALL("cudaFree managed", cudaFree(managed_memory()))
ROW("cudaFree then the last error", say(cudaFree(nowhere())); say(cudaPeekAtLastError());
    say(cudaGetLastError());
    say(cudaGetLastError()))
CALL("cudaFree of an array", cudaFree(array()))
CALL("cudaFreeHost null", cudaFreeHost(nullptr))
CALL("cudaFreeHost wild", cudaFreeHost(nowhere()))
CALL("cudaFreeHost of malloc", cudaFreeHost(host_memory()))
CALL("cudaFreeHost of device memory", cudaFreeHost(device_memory()))
CALL("cudaFreeHost managed", cudaFreeHost(managed_memory()))
ROW("cudaFreeHost twice", void* p = pinned_memory(); say(cudaFreeHost(p)); say(cudaFreeHost(p)))
CALL("cudaFreeHost inside", cudaFreeHost(static_cast<char*>(pinned_memory()) + 64))
CALL("cudaFreeArray null", cudaFreeArray(nullptr))
CALL("cudaFreeArray wild", cudaFreeArray(nowhere<cudaArray_t>()))
CALL("cudaFreeArray twice", cudaFreeArray(freed_array()))
CALL("cudaFreeArray of device memory", cudaFreeArray(static_cast<cudaArray_t>(device_memory())))
CALL("cudaFreeAsync null", cudaFreeAsync(nullptr, nullptr))
CALL("cudaFreeAsync wild", cudaFreeAsync(nowhere(), nullptr))
CALL("cudaFreeAsync twice", cudaFreeAsync(freed_memory(), nullptr))
CALL("cudaFreeAsync of malloc", cudaFreeAsync(host_memory(), nullptr))
CALL("cudaFreeAsync destroyed stream", cudaFreeAsync(device_memory(), destroyed_stream()))
CALL("cudaFreeAsync pinned", cudaFreeAsync(pinned_memory(), nullptr))

CALL("cudaHostRegister null", cudaHostRegister(nullptr, 64, 0))
CALL("cudaHostRegister 0 bytes", cudaHostRegister(host_memory(), 0, 0))
CALL("cudaHostRegister wild", cudaHostRegister(nowhere(), 4096, 0))
CALL("cudaHostRegister flags", cudaHostRegister(host_memory(), 4096, 0x100))
CALL("cudaHostRegister odd", cudaHostRegister(static_cast<char*>(host_memory()) + 1, 100, 0))
CALL("cudaHostRegister over the end", cudaHostRegister(last_bytes(), 8192, 0))
CALL("cudaHostRegister all bytes", cudaHostRegister(host_memory(), kHuge, 0))
CALL("cudaHostRegister read only", cudaHostRegister(read_only_memory(), kBytes, 0))
CALL("cudaHostRegister of device memory", cudaHostRegister(device_memory(), kBytes, 0))
CALL("cudaHostRegister of pinned memory", cudaHostRegister(pinned_memory(), kBytes, 0))
ROW("cudaHostRegister twice", void* p = host_memory(); say(cudaHostRegister(p, kBytes, 0));
    say(cudaHostRegister(p, kBytes, 0));
    say(cudaHostUnregister(p));
    say(cudaHostUnregister(p)))
CALL("cudaHostUnregister null", cudaHostUnregister(nullptr))
CALL("cudaHostUnregister wild", cudaHostUnregister(nowhere()))
CALL("cudaHostUnregister of malloc", cudaHostUnregister(host_memory()))
CALL("cudaHostUnregister of device memory", cudaHostUnregister(device_memory()))
CALL("cudaHostUnregister of pinned memory", cudaHostUnregister(pinned_memory()))
CALL(
    "cudaHostGetDevicePointer null",
    cudaHostGetDevicePointer(static_cast<void**>(nullptr), pinned_memory(), 0)
)
CALL("cudaHostGetDevicePointer of null", cudaHostGetDevicePointer(&out, nullptr, 0))
CALL("cudaHostGetDevicePointer of malloc", cudaHostGetDevicePointer(&out, host_memory(), 0))
CALL("cudaHostGetDevicePointer of device memory", cudaHostGetDevicePointer(&out, device_memory(), 0))
CALL("cudaHostGetDevicePointer flags", cudaHostGetDevicePointer(&out, pinned_memory(), 1))
CALL("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&out, pinned_memory(), 0))
CALL("cudaHostGetFlags null", cudaHostGetFlags(nullptr, pinned_memory()))
CALL("cudaHostGetFlags of null", cudaHostGetFlags(&flags, nullptr))
CALL("cudaHostGetFlags of malloc", cudaHostGetFlags(&flags, host_memory()))
CALL("cudaHostGetFlags of device memory", cudaHostGetFlags(&flags, device_memory()))
ROW("cudaHostGetFlags", say(cudaHostGetFlags(&flags, pinned_memory())); say(std::to_string(flags)))

ROW("cudaPointerGetAttributes null", say(cudaPointerGetAttributes(nullptr, device_memory())))
ROW("cudaPointerGetAttributes of null", cudaPointerAttributes a; say(cudaPointerGetAttributes(&a, nullptr)))
ROW("cudaPointerGetAttributes wild", cudaPointerAttributes a; say(cudaPointerGetAttributes(&a, nowhere()));
    say(std::to_string(a.type)))
ROW("cudaPointerGetAttributes freed", cudaPointerAttributes a;
    say(cudaPointerGetAttributes(&a, freed_memory()));
    say(std::to_string(a.type)))
ROW("cudaMemGetInfo nulls", say(cudaMemGetInfo(nullptr, nullptr)))
ROW("cudaMemGetInfo null total", say(cudaMemGetInfo(&pitch, nullptr)))
constexpr cudaMemLocation kHere{cudaMemLocationTypeDevice, {0}}, kNoDevice{cudaMemLocationTypeDevice, {99}};
CALL("cudaMemPrefetchAsync null", cudaMemPrefetchAsync(nullptr, 64, kHere, 0, nullptr))
CALL("cudaMemPrefetchAsync wild", cudaMemPrefetchAsync(nowhere(), 64, kHere, 0, nullptr))
CALL("cudaMemPrefetchAsync device memory", cudaMemPrefetchAsync(device_memory(), 64, kHere, 0, nullptr))
CALL("cudaMemPrefetchAsync 0 bytes", cudaMemPrefetchAsync(managed_memory(), 0, kHere, 0, nullptr))
CALL("cudaMemPrefetchAsync flags", cudaMemPrefetchAsync(managed_memory(), 64, kHere, 9, nullptr))
CALL("cudaMemPrefetchAsync no device", cudaMemPrefetchAsync(managed_memory(), 64, kNoDevice, 0, nullptr))
CALL("cudaMemPrefetchAsync over the end", cudaMemPrefetchAsync(managed_memory(), 1 << 30, kHere, 0, nullptr))
CALL(
    "cudaMemPrefetchAsync destroyed stream",
    cudaMemPrefetchAsync(managed_memory(), 64, kHere, 0, destroyed_stream())
)
CALL("cudaMemPrefetchAsync", cudaMemPrefetchAsync(managed_memory(), 64, kHere, 0, nullptr))
CALL("cudaMemAdvise null", cudaMemAdvise(nullptr, 64, cudaMemAdviseSetReadMostly, kHere))
CALL("cudaMemAdvise word", cudaMemAdvise(managed_memory(), 64, static_cast<cudaMemoryAdvise>(99), kHere))
CALL(
    "cudaMemAdvise no device",
    cudaMemAdvise(managed_memory(), 64, cudaMemAdviseSetPreferredLocation, kNoDevice)
)
CALL("cudaMemAdvise device memory", cudaMemAdvise(device_memory(), 64, cudaMemAdviseSetReadMostly, kHere))
CALL("cudaMemAdvise", cudaMemAdvise(managed_memory(), 64, cudaMemAdviseSetReadMostly, kHere))
CALL("cudaStreamAttachMemAsync null", cudaStreamAttachMemAsync(stream(), nullptr, 0, cudaMemAttachSingle))
CALL(
    "cudaStreamAttachMemAsync device memory",
    cudaStreamAttachMemAsync(stream(), device_memory(), 0, cudaMemAttachSingle)
)
CALL("cudaStreamAttachMemAsync flags", cudaStreamAttachMemAsync(stream(), managed_memory(), 0, 9))
CALL(
    "cudaStreamAttachMemAsync length",
    cudaStreamAttachMemAsync(stream(), managed_memory(), 7, cudaMemAttachSingle)
)

CALL("cudaDeviceGetDefaultMemPool null", cudaDeviceGetDefaultMemPool(nullptr, 0))
ROW("cudaDeviceGetDefaultMemPool no device", cudaMemPool_t p; say(cudaDeviceGetDefaultMemPool(&p, 99)))
ROW("cudaDeviceGetMemPool device -1", cudaMemPool_t p; say(cudaDeviceGetMemPool(&p, -1)))
CALL("cudaDeviceGetMemPool null", cudaDeviceGetMemPool(nullptr, 0))
CALL("cudaDeviceSetMemPool null", cudaDeviceSetMemPool(0, nullptr))
CALL("cudaDeviceSetMemPool no device", cudaDeviceSetMemPool(99, pool()))
CALL("cudaDeviceSetMemPool wild", cudaDeviceSetMemPool(0, nowhere<cudaMemPool_t>()))
CALL("cudaDeviceSetMemPool destroyed", cudaDeviceSetMemPool(0, destroyed_pool()))
ROW("cudaMemPoolCreate null", cudaMemPoolProps props{}; say(cudaMemPoolCreate(nullptr, &props)))
ROW("cudaMemPoolCreate null props", cudaMemPool_t p; say(cudaMemPoolCreate(&p, nullptr)))
ROW("cudaMemPoolCreate no type", cudaMemPool_t p; const cudaMemPoolProps props{};
    say(cudaMemPoolCreate(&p, &props)))
ROW("cudaMemPoolCreate no device", cudaMemPool_t p; cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned, props.location = kNoDevice;
    say(cudaMemPoolCreate(&p, &props)))
CALL("cudaMemPoolDestroy null", cudaMemPoolDestroy(nullptr))
CALL("cudaMemPoolDestroy wild", cudaMemPoolDestroy(nowhere<cudaMemPool_t>()))
CALL("cudaMemPoolDestroy twice", cudaMemPoolDestroy(destroyed_pool()))
ROW("cudaMemPoolDestroy the default", cudaMemPool_t p; cudaDeviceGetDefaultMemPool(&p, 0);
    say(cudaMemPoolDestroy(p)))
ROW("cudaMemPoolSetAttribute null pool", uint64_t v = 0;
    say(cudaMemPoolSetAttribute(nullptr, cudaMemPoolAttrReleaseThreshold, &v)))
ROW("cudaMemPoolSetAttribute destroyed pool", uint64_t v = 0;
    say(cudaMemPoolSetAttribute(destroyed_pool(), cudaMemPoolAttrReleaseThreshold, &v)))
CALL(
    "cudaMemPoolSetAttribute null", cudaMemPoolSetAttribute(pool(), cudaMemPoolAttrReleaseThreshold, nullptr)
)
ROW("cudaMemPoolSetAttribute word", uint64_t v = 0;
    say(cudaMemPoolSetAttribute(pool(), static_cast<cudaMemPoolAttr>(99), &v)))
ROW("cudaMemPoolSetAttribute used memory", uint64_t v = 0;
    say(cudaMemPoolSetAttribute(pool(), cudaMemPoolAttrUsedMemCurrent, &v)))
ROW("cudaMemPoolGetAttribute null pool", uint64_t v = 0;
    say(cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrReleaseThreshold, &v)))
CALL(
    "cudaMemPoolGetAttribute null", cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrReleaseThreshold, nullptr)
)
ROW("cudaMemPoolGetAttribute word", uint64_t v = 0;
    say(cudaMemPoolGetAttribute(pool(), static_cast<cudaMemPoolAttr>(99), &v)))
CALL("cudaMemPoolTrimTo null", cudaMemPoolTrimTo(nullptr, 0))
CALL("cudaMemPoolTrimTo destroyed", cudaMemPoolTrimTo(destroyed_pool(), 0))
CALL("cudaMemPoolSetAccess null", cudaMemPoolSetAccess(pool(), nullptr, 1))
CALL("cudaMemPoolSetAccess nothing", cudaMemPoolSetAccess(pool(), nullptr, 0))
ROW("cudaMemPoolSetAccess no device", const cudaMemAccessDesc d{kNoDevice, cudaMemAccessFlagsProtReadWrite};
    say(cudaMemPoolSetAccess(pool(), &d, 1)))
ROW("cudaMemPoolSetAccess null pool", const cudaMemAccessDesc d{kHere, cudaMemAccessFlagsProtReadWrite};
    say(cudaMemPoolSetAccess(nullptr, &d, 1)))
ROW("cudaMemPoolGetAccess null", cudaMemLocation l = kHere; say(cudaMemPoolGetAccess(nullptr, pool(), &l)))
ROW("cudaMemPoolGetAccess null pool", cudaMemLocation l = kHere; cudaMemAccessFlags f;
    say(cudaMemPoolGetAccess(&f, nullptr, &l)))
CALL(
    "cudaMemPoolExportToShareableHandle of a plain pool",
    cudaMemPoolExportToShareableHandle(&number, pool(), cudaMemHandleTypePosixFileDescriptor, 0)
)
ROW("cudaMemPoolImportFromShareableHandle no file", cudaMemPool_t p; say(cudaMemPoolImportFromShareableHandle(
    &p, reinterpret_cast<void*>(intptr_t{987}), cudaMemHandleTypePosixFileDescriptor, 0
)))
ROW("cudaMemPoolExportPointer of malloc", cudaMemPoolPtrExportData d;
    say(cudaMemPoolExportPointer(&d, host_memory())))
ROW("cudaIpcGetMemHandle null", cudaIpcMemHandle_t h; say(cudaIpcGetMemHandle(&h, nullptr)))
ROW("cudaIpcGetMemHandle of malloc", cudaIpcMemHandle_t h; say(cudaIpcGetMemHandle(&h, host_memory())))
CALL("cudaIpcGetMemHandle null out", cudaIpcGetMemHandle(nullptr, device_memory()))
ROW("cudaIpcOpenMemHandle of nothing", const cudaIpcMemHandle_t h{};
    say(cudaIpcOpenMemHandle(&out, h, cudaIpcMemLazyEnablePeerAccess)))
CALL("cudaIpcCloseMemHandle null", cudaIpcCloseMemHandle(nullptr))
CALL("cudaIpcCloseMemHandle of plain memory", cudaIpcCloseMemHandle(device_memory()))

// Of several small ones: by how much the addresses are at least aligned, and how far the second lies from the
// first.
std::string grain(void* (*make)()) {
    uintptr_t all = 0;
    auto* first = static_cast<char*>(make());
    auto* second = static_cast<char*>(make());
    for (char* p : {first, second, static_cast<char*>(make()), static_cast<char*>(make())})
        all |= reinterpret_cast<uintptr_t>(p);
    return "aligned to " + std::to_string(all & -all) + ", " + std::to_string(second - first) +
        " bytes apart";
}
std::string zeros(const void* at, size_t bytes) {
    for (size_t k = 0; k < bytes; ++k)
        if (static_cast<const char*>(at)[k] != 0) return "something there";
    return "zeros";
}
ROW("grain of cudaMalloc", say(grain([] {
        void* p = nullptr;
        cudaMalloc(&p, 100);
        return p;
    })))
ROW("grain of cudaMallocAsync", say(grain([] {
        void* p = nullptr;
        cudaMallocAsync(&p, 100, nullptr);
        return p;
    })))
ROW("grain of cudaMallocHost", say(grain([] {
        void* p = nullptr;
        cudaMallocHost(&p, 100);
        return p;
    })))
ROW("grain of cudaMallocManaged", say(grain([] {
        void* p = nullptr;
        cudaMallocManaged(&p, 100, 1);
        return p;
    })))
ROW("grain of cudaMallocHost, pages", say(grain([] {
        void* p = nullptr;
        cudaMallocHost(&p, 5000);
        return p;
    })))
ROW("grain of cudaMallocManaged, pages", say(grain([] {
        void* p = nullptr;
        cudaMallocManaged(&p, 5000, 1);
        return p;
    })))
ROW("pinned memory holds", say(zeros(pinned_memory(), kBytes)))
ROW("managed memory holds", say(zeros(managed_memory(), kBytes)))
ROW("device memory is as before", void* p = nullptr; cudaMalloc(&p, kBytes); void* h = host_memory();
    say(cudaMemcpy(h, p, kBytes, cudaMemcpyDeviceToHost));
    say(zeros(h, kBytes)))
ROW("pinned memory behind its end", void* p = nullptr; cudaMallocHost(&p, 100);
    static_cast<volatile char*>(p)[511] = 1;
    say(std::to_string(static_cast<volatile char*>(p)[511])))
ROW("pitch of 100 bytes", say(cudaMallocPitch(&out, &pitch, 100, 4)); say(std::to_string(pitch)))

}  // namespace
}  // namespace wild
