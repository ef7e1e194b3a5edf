// A program that compiles its kernel while it runs, for an architecture of machines, and takes the machine
// code: `nvrtc_program LIBNVRTC`.
#include <cuda.h>

#include <cstdio>
#include <dlfcn.h>
#include <nvrtc.h>
#include <string>
#include <vector>

namespace {

// Each of two warps reads what the other writes, with no barrier between: a race.
const char* const kSource =
    "extern \"C\" __global__ void shift(int* a) {\n"
    "    __shared__ int held[64];\n"
    "    held[threadIdx.x] = threadIdx.x;\n"
    "    a[threadIdx.x] = held[(threadIdx.x + 32) % 64];\n"
    "}\n";

template <typename F>
F* function(void* library, F* /*as*/, const char* name) {
    return reinterpret_cast<F*>(dlsym(library, name));
}
#define WL_OF(name) const auto name##_ = function(library, ::name, #name)

std::vector<char> machine_code(void* library) {
    WL_OF(nvrtcCreateProgram);
    WL_OF(nvrtcCompileProgram);
    WL_OF(nvrtcGetCUBINSize);
    WL_OF(nvrtcGetCUBIN);
    nvrtcProgram program = nullptr;
    nvrtcCreateProgram_(&program, kSource, "shift.cu", 0, nullptr, nullptr);
    const char* options[] = {"-arch=sm_80", "-lineinfo"};
    size_t bytes = 0;
    if (nvrtcCompileProgram_(program, 2, options) != NVRTC_SUCCESS ||
        nvrtcGetCUBINSize_(program, &bytes) != NVRTC_SUCCESS)
        return {};
    std::vector<char> code(bytes);
    nvrtcGetCUBIN_(program, code.data());
    return code;
}

}  // namespace

int main(int count, char** words) {
    void* const library = count > 1 ? dlopen(words[1], RTLD_NOW) : nullptr;
    if (library == nullptr) return 2;
    const std::vector<char> code = machine_code(library);
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction shift = nullptr;
    CUdeviceptr a = 0;
    cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    if (cuModuleLoadData(&module, code.data()) != CUDA_SUCCESS) return 3;
    cuModuleGetFunction(&shift, module, "shift"), cuMemAlloc(&a, 64 * sizeof(int));
    void* parameters[] = {&a};
    cuLaunchKernel(shift, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr);
    std::vector<int> got(64);
    cuMemcpyDtoH(got.data(), a, 64 * sizeof(int));
    printf("%s %d\n", code.size() > 4 && code[1] == 'E' ? "machine code" : "PTX", got[40]);
    return 0;
}
