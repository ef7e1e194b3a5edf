// cuGetProcAddress, by which every newer program finds the driver's functions.
#include "instrumentation/runtime/origin.h"
#include "shim/cuda/names.h"
#include "shim/cuda/state.h"
#include "shim/guard/caller.h"

#include <string>

using namespace wl::cuda;

extern "C" {

// Streams run their work at once, so that the default stream of a thread (CU_GET_PROC_ADDRESS_PER_THREAD_...)
// is like any other.
CUresult cuGetProcAddress(
    const char* name, void** out, int version, cuuint64_t /*flags*/, CUdriverProcAddressQueryResult* status
) {
    if (name == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Named is = named(name, version);
    *out = reinterpret_cast<void*>(is.function);
    if (status != nullptr)
        *status = is.found == Found::yes      ? CU_GET_PROC_ADDRESS_SUCCESS
            : is.found == Found::no_such_name ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
                                              : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return CUDA_SUCCESS;  // what was not found is told by the status and the address
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* name, void** out, int version, cuuint64_t flags);
CUresult cuGetProcAddress(const char* name, void** out, int version, cuuint64_t flags) {
    return cuGetProcAddress_v2(name, out, version, flags, nullptr);
}

// The same by the runtime: functions of the driver by their names.
cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name,
    void** out,
    unsigned version,
    unsigned long long flags,
    cudaDriverEntryPointQueryResult* status
) {
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult error = cuGetProcAddress_v2(name, out, static_cast<int>(version), flags, &found);
    if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    return static_cast<cudaError_t>(error);
}
cudaError_t cudaGetDriverEntryPoint(
    const char* name, void** out, unsigned long long flags, cudaDriverEntryPointQueryResult* status
) {
    return cudaGetDriverEntryPointByVersion(name, out, CUDART_VERSION, flags, status);
}

// Tables that are not documented. A runtime that is linked into a program and stripped asks for them, so that
// nothing redirects its functions (shim/audit); NVIDIA's compilers do, too, and go on without.
CUresult cuGetExportTable(const void** table, const CUuuid* /*which*/) {
    if (table != nullptr) *table = nullptr;
    const std::string asks = wl::runtime::file_of(wl::guard::caller());
    const std::string file = asks.empty() ? "the program" : asks;
    for (const char* compiler : {"libnvrtc", "libnvJitLink", "libnvptxcompiler"})
        if (file.find(compiler) != std::string::npos) return CUDA_ERROR_NOT_FOUND;
    const Call call = begin();
    if (call.machine.unsupported.insert(file).second)
        wl::runtime::tell_error(
            call.machine,
            wl::runtime::is_of_nvidia(file) ? wl::runtime::about_library(file)
                                            : file +
                    " asks for private tables of NVIDIA's driver, as a CUDA runtime does that is linked in "
                    "and "
                    "stripped of its symbols; leave them in, or link with -cudart shared"
        );
    return CUDA_ERROR_NOT_SUPPORTED;
}
}
