// The functions that the recorder stands before, by the names that CUDA gives them.
#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Both are versions of their own where they are exported.
#undef cuGetProcAddress
#undef cuLinkAddData

// NOLINTBEGIN(readability-identifier-naming)
#define WL_HOOK extern "C" [[gnu::visibility("default")]]

#define WL_HOOKED(X)                  \
    X(cuGetProcAddress)               \
    X(cuGetProcAddress_v2)            \
    X(cuModuleLoad)                   \
    X(cuModuleLoadData)               \
    X(cuModuleLoadDataEx)             \
    X(cuModuleLoadFatBinary)          \
    X(cuModuleGetFunction)            \
    X(cuLibraryLoadData)              \
    X(cuLibraryLoadFromFile)          \
    X(cuLibraryGetKernel)             \
    X(cuLibraryGetModule)             \
    X(cuKernelGetFunction)            \
    X(cuLaunchKernel)                 \
    X(cuLaunchKernel_ptsz)            \
    X(cuLaunchKernelEx)               \
    X(cuLaunchKernelEx_ptsz)          \
    X(cuLaunchCooperativeKernel)      \
    X(cuLaunchCooperativeKernel_ptsz) \
    X(cuLinkAddData)                  \
    X(cuLinkAddData_v2)               \
    X(nvrtcGetCUBIN)                  \
    X(nvJitLinkAddData)

// Those that cuda.h does not declare, or by another name.
extern "C" {
CUresult cuGetProcAddress(const char*, void**, int, cuuint64_t);
CUresult
cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig*, CUfunction, void**, void**);
CUresult
cuLaunchCooperativeKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**);
CUresult
cuLinkAddData(CUlinkState, CUjitInputType, void*, size_t, const char*, unsigned, CUjit_option*, void**);
int nvrtcGetCUBIN(void* program, char* cubin);
int nvJitLinkAddData(void* handle, int kind, const void* data, size_t size, const char* name);
}

// NOLINTEND(readability-identifier-naming)

namespace wl::recorder {

enum class Hooked : uint8_t {
#define WL_NAME(name) name,
    WL_HOOKED(WL_NAME)
#undef WL_NAME
};

struct Hook {
    std::string_view name;
    void* ours = nullptr;
    std::atomic<void*> real{nullptr};
};

// The function behind ours: as it was found for the program, else the driver's, else the next in line.
void* behind(Hooked which);
template <class Function>
Function* real(Hooked which) {
    return reinterpret_cast<Function*>(behind(which));
}
#define WL_REAL(name) real<decltype(::name)>(Hooked::name)

// By the name that a program asks for; nullptr: it is none of them.
Hook* hook_of(std::string_view name);

// What the program gets for what it found.
void* ours_for(Hook& hook, void* found);

}  // namespace wl::recorder
