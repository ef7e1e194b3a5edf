// The driver's own functions, whoever asks for them, and those that the recorder calls itself.
#pragma once

#include <cuda.h>

namespace wl::recorder {

// dlsym as it is without the recorder's own. What is asked for by RTLD_NEXT counts from the caller: only a
// call in tail position keeps who that is.
using FindSymbol = void* (*)(void* library, const char* name);
FindSymbol find_symbol();

// A function of libcuda.so.1, which is opened unless the program did; nullptr: the driver lacks it.
void* driver_symbol(const char* name);

#define WL_RECORDER_CALLS(X)                      \
    X(error_name, cuGetErrorName)                 \
    X(synchronize, cuCtxSynchronize)              \
    X(limit, cuCtxGetLimit)                       \
    X(context_device, cuCtxGetDevice)             \
    X(device_name, cuDeviceGetName)               \
    X(is_capturing, cuStreamIsCapturing)          \
    X(pointer_attributes, cuPointerGetAttributes) \
    X(function_name, cuFuncGetName)               \
    X(function_module, cuFuncGetModule)           \
    X(function_parameter, cuFuncGetParamInfo)     \
    X(kernel_function, cuKernelGetFunction)       \
    X(kernel_parameter, cuKernelGetParamInfo)

struct Calls {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member
#define WL_RECORDER_MEMBER(member, function) decltype(&(function)) member{};
    WL_RECORDER_CALLS(WL_RECORDER_MEMBER)
#undef WL_RECORDER_MEMBER
    // These have had several versions, of which the name alone is the oldest.
    CUresult (*download)(void*, CUdeviceptr, size_t) = nullptr;
    CUresult (*variable)(CUdeviceptr*, size_t*, CUmodule, const char*) = nullptr;
    const char* missing = nullptr;  // a function that the driver lacks
};
const Calls& calls();

}  // namespace wl::recorder
