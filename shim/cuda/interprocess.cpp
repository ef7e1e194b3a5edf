// Memory, pools and events of several processes: the runtime's.
#include "shim/cuda/state.h"

#include <cstring>

using namespace wl::cuda;
using wl::cudart::pointer_of;

namespace {

// Handles of both are 64 bytes that nobody looks into.
template <class To, class From>
To as(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To out;
    std::memcpy(&out, &from, sizeof out);
    return out;
}

cudaMemAllocationHandleType runtime_type(CUmemAllocationHandleType type) {
    return static_cast<cudaMemAllocationHandleType>(type);
}

}  // namespace

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr pointer) {
    return in_context([&] {
        cudaIpcMemHandle_t handle{};
        const cudaError_t error =
            cudaIpcGetMemHandle(out == nullptr ? nullptr : &handle, pointer_of(pointer));
        if (error == cudaSuccess) *out = as<CUipcMemHandle>(handle);
        return error;
    });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* out, CUipcMemHandle handle, unsigned flags) {
    return in_context([&] {
        void* pointer = nullptr;
        const auto named = as<cudaIpcMemHandle_t>(handle);
        const cudaError_t error = cudaIpcOpenMemHandle(out == nullptr ? nullptr : &pointer, named, flags);
        if (error == cudaSuccess) *out = device_address(pointer);
        return error;
    });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
    return in_context([&] { return cudaIpcCloseMemHandle(pointer_of(pointer)); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* out, CUevent event) {
    return in_context([&] {
        cudaIpcEventHandle_t handle{};
        const cudaError_t error = cudaIpcGetEventHandle(out == nullptr ? nullptr : &handle, event);
        if (error == cudaSuccess) *out = as<CUipcEventHandle>(handle);
        return error;
    });
}

CUresult cuIpcOpenEventHandle(CUevent* out, CUipcEventHandle handle) {
    return in_context([&] { return cudaIpcOpenEventHandle(out, as<cudaIpcEventHandle_t>(handle)); });
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
    return in_context([&] {
        cudaMemPoolPtrExportData data{};
        const cudaError_t error =
            cudaMemPoolExportPointer(out == nullptr ? nullptr : &data, pointer_of(pointer));
        if (error == cudaSuccess) *out = as<CUmemPoolPtrExportData>(data);
        return error;
    });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* out, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
    return in_context([&] {
        if (out == nullptr || data == nullptr) return cudaErrorInvalidValue;
        void* pointer = nullptr;
        auto named = as<cudaMemPoolPtrExportData>(*data);
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
