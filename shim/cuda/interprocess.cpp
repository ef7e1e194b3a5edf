// Memory, pools and events of several processes: the runtime's.
#include "shim/cuda/state.h"

#include <bit>

using namespace wl::cuda;
using wl::cudart::pointer_of;

namespace {

// What the runtime gives, as the driver's: both are 64 bytes that nobody looks into.
template <class Runtime, class Driver, class Get>
CUresult give(Driver* out, Get get) {
    return in_context([&] {
        Runtime handle{};
        const cudaError_t error = get(out == nullptr ? nullptr : &handle);
        if (error == cudaSuccess) *out = std::bit_cast<Driver>(handle);
        return error;
    });
}

cudaMemAllocationHandleType runtime_type(CUmemAllocationHandleType type) {
    return static_cast<cudaMemAllocationHandleType>(type);
}

}  // namespace

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr pointer) {
    return give<cudaIpcMemHandle_t>(out, [&](auto* handle) {
        return cudaIpcGetMemHandle(handle, pointer_of(pointer));
    });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* out, CUipcMemHandle handle, unsigned flags) {
    return in_context([&] {
        void* pointer = nullptr;
        const auto named = std::bit_cast<cudaIpcMemHandle_t>(handle);
        const cudaError_t error = cudaIpcOpenMemHandle(out == nullptr ? nullptr : &pointer, named, flags);
        if (error == cudaSuccess) *out = device_address(pointer);
        return error;
    });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
    return in_context([&] { return cudaIpcCloseMemHandle(pointer_of(pointer)); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* out, CUevent event) {
    return give<cudaIpcEventHandle_t>(out, [&](auto* handle) {
        return cudaIpcGetEventHandle(handle, event);
    });
}

CUresult cuIpcOpenEventHandle(CUevent* out, CUipcEventHandle handle) {
    return in_context([&] { return cudaIpcOpenEventHandle(out, std::bit_cast<cudaIpcEventHandle_t>(handle)); }
    );
}

CUresult cuMemPoolExportToShareableHandle(
    void* out, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags
) {
    return in_context([&] {
        return cudaMemPoolExportToShareableHandle(
            out, pool, runtime_type(type), static_cast<unsigned>(flags)
        );
    });
}

CUresult cuMemPoolImportFromShareableHandle(
    CUmemoryPool* out, void* handle, CUmemAllocationHandleType type, unsigned long long flags
) {
    return in_context([&] {
        return cudaMemPoolImportFromShareableHandle(
            out, handle, runtime_type(type), static_cast<unsigned>(flags)
        );
    });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* out, CUdeviceptr pointer) {
    return give<cudaMemPoolPtrExportData>(out, [&](auto* data) {
        return cudaMemPoolExportPointer(data, pointer_of(pointer));
    });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* out, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
    return in_context([&] {
        if (out == nullptr || data == nullptr) return cudaErrorInvalidValue;
        void* pointer = nullptr;
        auto named = std::bit_cast<cudaMemPoolPtrExportData>(*data);
        const cudaError_t error = cudaMemPoolImportPointer(&pointer, pool, &named);
        if (error == cudaSuccess) *out = device_address(pointer);
        return error;
    });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* out, CUmemoryPool pool, CUmemLocation* location) {
    return in_context([&] {
        cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
        const bool valid = out != nullptr && location != nullptr;
        cudaMemLocation of{};
        const cudaError_t error = cudaMemPoolGetAccess(&flags, pool, valid ? &of : nullptr);
        if (error == cudaSuccess) *out = static_cast<CUmemAccess_flags>(flags);
        return error;
    });
}
}
