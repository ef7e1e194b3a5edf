// Allocations, by the runtime's functions; whose context they are in is kept here.
#include "instrumentation/runtime/host_access.h"
#include "shim/cuda/state.h"

#include <algorithm>
#include <cstring>

using namespace wl::cuda;
using wl::cudart::pointer_of;
using wl::runtime::Region;

namespace {

// `make` fills a pointer; that of no bytes is no pointer of the driver's.
template <class Make>
CUresult allocate(CUdeviceptr* out, size_t bytes, Make make) {
    if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return in_context([&] {
        void* made = nullptr;
        const cudaError_t error = make(&made);
        if (error != cudaSuccess) return error;
        const Call call = begin();
        *out = device_address(made);
        driver().owners[*out] = current_context();
        return cudaSuccess;
    });
}

template <class Free>
CUresult release(CUdeviceptr pointer, Free free) {
    return in_context([&] {
        const cudaError_t error = free(pointer_of(pointer));
        const Call call = begin();
        if (error == cudaSuccess) driver().owners.erase(pointer);
        return error;
    });
}

CUresult pointer_attribute(void* out, CUpointer_attribute which, const Region& region, CUdeviceptr pointer) {
    const auto set = [&](auto value) {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): some attributes are pointers
        return wl::runtime::write_host(out, &value, sizeof value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    };
    const bool managed = region.kind == Region::Kind::managed, host = region.host != nullptr && !managed;
    switch (which) {
        case CU_POINTER_ATTRIBUTE_CONTEXT: {
            const auto owner = driver().owners.find(region.base);
            return set(handle_of(owner != driver().owners.end() ? owner->second : current_context()));
        }
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return set(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return set(pointer);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            return region.host == nullptr ? CUDA_ERROR_INVALID_VALUE : set(pointer);
        case CU_POINTER_ATTRIBUTE_IS_MANAGED: return set(static_cast<unsigned>(managed));
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return set(0);
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return set(region.base);
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return set(static_cast<size_t>(region.bytes));
        case CU_POINTER_ATTRIBUTE_MAPPED: return set(1U);
        case CU_POINTER_ATTRIBUTE_BUFFER_ID: return set(static_cast<unsigned long long>(region.base));
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return set(0U);
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return set(CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return set(CUmemoryPool{});
        default: return CUDA_ERROR_INVALID_VALUE;
    }
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
    return allocate(out, bytes, [&](void** made) { return cudaMalloc(made, bytes); });
}
CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
    return allocate(out, bytes, [&](void** made) { return cudaMallocAsync(made, bytes, stream); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool pool, CUstream stream) {
    return allocate(out, bytes, [&](void** made) {
        return cudaMallocFromPoolAsync(made, bytes, pool, stream);
    });
}
CUresult cuMemAllocPitch(CUdeviceptr* out, size_t* pitch, size_t width, size_t height, unsigned element) {
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    return allocate(out, std::min(width, height), [&](void** made) {
        return cudaMallocPitch(made, pitch, width, height);
    });
}
CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
    return allocate(out, bytes, [&](void** made) { return cudaMallocManaged(made, bytes, flags); });
}
CUresult cuMemAllocHost(void** out, size_t bytes) {
    if (bytes == 0) {
        *out = nullptr;
        return usable();
    }
    CUdeviceptr made = 0;
    const CUresult error = allocate(&made, bytes, [&](void** at) { return cudaMallocHost(at, bytes); });
    if (error == CUDA_SUCCESS) *out = pointer_of(made);
    return error;
}
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
    constexpr unsigned kFlags =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    return (flags & ~kFlags) != 0 ? CUDA_ERROR_INVALID_VALUE : cuMemAllocHost(out, bytes);
}

CUresult cuMemFree(CUdeviceptr pointer) {
    if (pointer == 0) return CUDA_SUCCESS;  // also without a context
    return release(pointer, [](void* p) { return cudaFree(p); });
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
    return release(pointer, [&](void* p) { return cudaFreeAsync(p, stream); });
}
CUresult cuMemFreeHost(void* pointer) {
    return release(device_address(pointer), [](void* p) { return cudaFreeHost(p); });
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return in_context([&] { return cudaHostRegister(pointer, bytes, flags); });
}
CUresult cuMemHostUnregister(void* pointer) {
    return in_context([&] { return cudaHostUnregister(pointer); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* host, unsigned flags) {
    return in_context([&] {
        void* device = nullptr;
        const cudaError_t error = cudaHostGetDevicePointer(&device, host, flags);
        if (error == cudaSuccess) *out = device_address(device);
        return error;
    });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
    return in_context([&] { return cudaHostGetFlags(flags, host); });
}

CUresult cuMemGetInfo(size_t* left, size_t* total) {
    return in_context([&] { return cudaMemGetInfo(left, total); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    const Call call = begin();
    const Region* region = wl::runtime::region_of(call.machine.memory, pointer);
    if (region == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = region->base;
    if (bytes != nullptr) *bytes = region->bytes;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute which, CUdeviceptr pointer) {
    const Call call = begin();
    const Region* region = wl::runtime::region_of(call.machine.memory, pointer);
    return region == nullptr ? CUDA_ERROR_INVALID_VALUE : pointer_attribute(out, which, *region, pointer);
}

// What does not apply to a pointer is left 0.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** out, CUdeviceptr pointer) {
    constexpr unsigned kMost = 1024;
    if (count == 0 || count > kMost || !wl::runtime::is_readable(which, count * sizeof *which) ||
        !wl::runtime::is_readable(out, count * sizeof *out))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned k = 0; k < count; ++k)
        if (!wl::runtime::is_writable(out[k], sizeof(int))) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned k = 0; k < count; ++k)
        if (cuPointerGetAttribute(out[k], which[k], pointer) != CUDA_SUCCESS) {
            const bool small = which[k] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                which[k] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                which[k] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL || which[k] == CU_POINTER_ATTRIBUTE_MAPPED ||
                which[k] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
            std::memset(out[k], 0, small ? sizeof(int) : sizeof(void*));
        }
    return CUDA_SUCCESS;
}
CUresult cuPointerSetAttribute(const void*, CUpointer_attribute, CUdeviceptr) { return CUDA_SUCCESS; }

CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUmemLocation) { return CUDA_SUCCESS; }
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned) { return CUDA_SUCCESS; }
#undef cuMemAdvise
#undef cuMemPrefetchAsync
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice) { return CUDA_SUCCESS; }
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream) { return CUDA_SUCCESS; }

// Pools are the runtime's: their handles, and what describes them, are alike.
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return result_of(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
    return result_of(cudaDeviceGetMemPool(pool, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    return result_of(cudaDeviceSetMemPool(device, pool));
}
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* props) {
    static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
    cudaMemPoolProps same;
    std::memcpy(&same, props, sizeof same);
    return result_of(cudaMemPoolCreate(pool, &same));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { return result_of(cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
    return result_of(cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(which), value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
    static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));
    return result_of(cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(access), count));
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
    return result_of(cudaMemPoolTrimTo(pool, bytes));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
    return result_of(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(which), value));
}
}
