// The driver's errors by name; their words are those of the runtime's error of that number.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>

namespace {

struct ErrorName {
    CUresult error;
    const char* name;
};

#define WL_ERROR(name) ErrorName{name, #name},
constexpr std::array kErrors{
#include "shim/cuda/errors.inc"
};
#undef WL_ERROR

const char* name_of(CUresult error) {
    for (const ErrorName& known : kErrors)
        if (known.error == error) return known.name;
    return nullptr;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
    *name = name_of(error);
    return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** words) {
    *words = name_of(error) == nullptr ? nullptr : cudaGetErrorString(static_cast<cudaError_t>(error));
    return *words != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
}
