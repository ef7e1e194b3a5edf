// Errors, and who may call.
#include "shim/cuda/state.h"

#include "instrumentation/runtime/host_access.h"

#include <algorithm>

namespace wl::cuda {
namespace {

const char* words_of_usable(CUresult error) {
    if (error == CUDA_ERROR_NOT_INITIALIZED) return "the program calls the driver before cuInit";
    if (error == CUDA_ERROR_CONTEXT_IS_DESTROYED)
        return "the program goes on in a context that it destroyed (cuCtxDestroy)";
    return "the program calls the driver in a thread that has no context";
}

CUresult state_now() {
    const Call call = begin();
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    const Context* context = current_context();
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    return context->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

}  // namespace

Driver& driver() {
    static Driver* const kDriver = [] {
        auto* made = new Driver;
        made->contexts.push_back(std::make_unique<Context>());
        return made;
    }();
    return *kDriver;
}

bool initialised() {
    const Call call = cudart::begin_without_looking();
    return driver().initialised || cudart::is_used();
}

CUresult usable() {
    const CUresult error = state_now();
    return error == CUDA_SUCCESS ? error : refuse(error, words_of_usable(error));
}

CUresult result_of(cudaError_t error) {
    switch (error) {
        case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidPitchValue: return CUDA_ERROR_INVALID_VALUE;
        case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
        case cudaErrorNoKernelImageForDevice: return CUDA_ERROR_NO_BINARY_FOR_GPU;
        default: return static_cast<CUresult>(error);
    }
}

bool clear_logs(unsigned count, const CUjit_option* options, void** values) {
    if (count > CU_JIT_NUM_OPTIONS || !runtime::is_readable(options, count * sizeof *options) ||
        !runtime::is_readable(values, count * sizeof *values))
        return false;
    if (std::any_of(options, options + count, [](auto o) { return o < 0 || o >= CU_JIT_NUM_OPTIONS; }))
        return false;
    for (unsigned k = 0; k < count; ++k) {
        const bool is_size = options[k] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
            options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
        const bool is_buffer = options[k] == CU_JIT_INFO_LOG_BUFFER || options[k] == CU_JIT_ERROR_LOG_BUFFER;
        if (is_buffer && values[k] != nullptr && runtime::is_writable(values[k], 1))
            *static_cast<char*>(values[k]) = 0;
        if (is_size) values[k] = nullptr;
    }
    return true;
}

CUresult refuse(CUresult error, const std::string& why) {
    const Call call = begin();
    runtime::tell_note_once(call.machine, why);
    return error;
}

}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (wl::cudart::is_forked()) return static_cast<CUresult>(wl::cudart::refuse_child());
    const Call call = begin();
    wl::cudart::note_use(false);
    driver().initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
    return version == nullptr ? CUDA_ERROR_INVALID_VALUE : result_of(cudaDriverGetVersion(version));
}
}
