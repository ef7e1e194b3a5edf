// What a recorder asks of the driver: contexts, streams, the parameters of a function, the allocation that an
// address lies in.
#include "tests/gpu/driver/machine.h"

#include <cuda.h>

#include <cstring>

using namespace wl::emulated;

extern "C" {

CUresult cuCtxGetDevice(CUdevice* out) {
    *out = 0;
    return CUDA_SUCCESS;
}
CUresult cuCtxGetLimit(size_t* out, CUlimit which) {
    *out = which == CU_LIMIT_STACK_SIZE ? 1024 : 0;
    return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* out) {
    *out = machine().recorded != nullptr ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** out, CUfunction function) {
    *out = reinterpret_cast<Function*>(function)->name.c_str();
    return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* out, CUfunction function) {
    const Module* const module = reinterpret_cast<Function*>(function)->module;
    *out = reinterpret_cast<CUmodule>(const_cast<Module*>(module));
    return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
    const auto* const f = reinterpret_cast<Function*>(function);
    const auto& params = wl::ptx::entry_of(f->module->ptx, f->name).params;
    if (index >= params.size()) return CUDA_ERROR_INVALID_VALUE;
    size_t at = 0;
    for (size_t i = 0;; ++i) {
        const size_t align = params[i].align == 0 ? 1 : params[i].align;
        at = (at + align - 1) / align * align;
        if (i == index) break;
        at += params[i].bytes;
    }
    *offset = at, *bytes = params[index].bytes;
    return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction*, CUkernel) { return CUDA_ERROR_INVALID_HANDLE; }
CUresult cuKernelGetParamInfo(CUkernel, size_t, size_t*, size_t*) { return CUDA_ERROR_INVALID_HANDLE; }

// NOLINTNEXTLINE(readability-non-const-parameter): as the driver declares it
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** out, CUdeviceptr address) {
    const wl::execution::Allocation* const a = wl::execution::find(machine().memory, address, 1);
    for (unsigned i = 0; i < count; ++i) {
        const uint64_t value = a == nullptr                     ? 0
            : which[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ? a->base
            : which[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE       ? a->bytes.size()
                                                                : 0;
        std::memcpy(out[i], &value, sizeof value);
    }
    return CUDA_SUCCESS;
}
}
