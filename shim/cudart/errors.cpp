// The runtime's errors by name and in words.
#include <cuda_runtime_api.h>

#include <array>
#include <cstring>

namespace {

struct ErrorWords {
    cudaError_t error;
    const char *name, *words;
};

#define WL_ERROR(name, words) ErrorWords{name, #name, words},
constexpr std::array kErrors{
#include "shim/cudart/errors.inc"
};
#undef WL_ERROR

const ErrorWords* words_of(cudaError_t error) {
    for (const ErrorWords& known : kErrors)
        if (known.error == error) return &known;
    return nullptr;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
    const ErrorWords* known = words_of(error);
    return known != nullptr ? known->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    const ErrorWords* known = words_of(error);
    return known != nullptr ? known->words : "unrecognized error code";
}
}
