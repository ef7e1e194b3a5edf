// What programs call in place of the driver's functions: by name, by dlsym (so the CUDA runtime, PyTorch,
// Triton, CuPy and Numba open the driver) or by cuGetProcAddress. Each calls the driver's own and looks at
// what went by. Here those that find functions and load modules.
#include "instrumentation/recorder/driver_calls.h"
#include "instrumentation/recorder/hooked.h"
#include "instrumentation/recorder/watch.h"

#include <cstring>
#include <dlfcn.h>
#include <string>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): the names and parameters are CUDA's
namespace wl::recorder {
namespace {

void replace(const char* symbol, void** found, int version, cuuint64_t flags) {
    if (symbol == nullptr || found == nullptr || *found == nullptr) return;
    std::string name = symbol;
    if (name == "cuGetProcAddress" && version >= 12000) name += "_v2";
    if (name == "cuLinkAddData" && version >= 6050) name += "_v2";
    if (name.starts_with("cuLaunch") && (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0)
        name += "_ptsz";
    if (Hook* const hook = hook_of(name)) *found = ours_for(*hook, *found);
}

// NVRTC has the PTX of what it made machine code of.
void take_text(void* nvrtc_function, void* program) {
    Dl_info about{};
    if (dladdr(nvrtc_function, &about) == 0) return;
    void* const library = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return;
    const auto size_of = reinterpret_cast<int (*)(void*, size_t*)>(find_symbol()(library, "nvrtcGetPTXSize"));
    const auto get = reinterpret_cast<int (*)(void*, char*)>(find_symbol()(library, "nvrtcGetPTX"));
    size_t bytes = 0;
    if (size_of != nullptr && get != nullptr && size_of(program, &bytes) == 0 && bytes > 1) {
        std::string text(bytes, '\0');
        const bool got = get(program, text.data()) == 0;
        text.resize(std::strlen(text.c_str()));
        if (got) text_made(std::move(text));
    }
    dlclose(library);
}

void linked(bool is_ptx, const void* data, size_t size) {
    if (!is_ptx || !is_armed()) return;
    std::string text(static_cast<const char*>(data), size);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    text_made(std::move(text));
}

}  // namespace
}  // namespace wl::recorder

using namespace wl::recorder;

WL_HOOK void* dlsym(void* library, const char* name) {
    Hook* const hook = hook_of(name);
    if (hook == nullptr) return find_symbol()(library, name);
    void* found = find_symbol()(library, name);
    if (found == hook->ours) found = find_symbol()(RTLD_NEXT, name);  // looked for among all that is loaded
    return ours_for(*hook, found);
}

WL_HOOK CUresult cuGetProcAddress_v2(
    const char* symbol, void** found, int version, cuuint64_t flags, CUdriverProcAddressQueryResult* status
) {
    const CUresult result = WL_REAL(cuGetProcAddress_v2)(symbol, found, version, flags, status);
    if (result == CUDA_SUCCESS) replace(symbol, found, version, flags);
    return result;
}
WL_HOOK CUresult cuGetProcAddress(const char* symbol, void** found, int version, cuuint64_t flags) {
    const CUresult result = WL_REAL(cuGetProcAddress)(symbol, found, version, flags);
    if (result == CUDA_SUCCESS) replace(symbol, found, version, flags);
    return result;
}

WL_HOOK CUresult cuModuleLoad(CUmodule* module, const char* file) {
    const CUresult result = WL_REAL(cuModuleLoad)(module, file);
    if (result == CUDA_SUCCESS && is_armed()) module_loaded_from(*module, file);
    return result;
}
WL_HOOK CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    const CUresult result = WL_REAL(cuModuleLoadData)(module, image);
    if (result == CUDA_SUCCESS && is_armed()) module_loaded(*module, image);
    return result;
}
WL_HOOK CUresult cuModuleLoadDataEx(
    CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values
) {
    const CUresult result = WL_REAL(cuModuleLoadDataEx)(module, image, count, options, values);
    if (result == CUDA_SUCCESS && is_armed()) module_loaded(*module, image);
    return result;
}
WL_HOOK CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    const CUresult result = WL_REAL(cuModuleLoadFatBinary)(module, image);
    if (result == CUDA_SUCCESS && is_armed()) module_loaded(*module, image);
    return result;
}
WL_HOOK CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    const CUresult result = WL_REAL(cuModuleGetFunction)(function, module, name);
    if (result == CUDA_SUCCESS && is_armed()) function_found(*function, module, name, false);
    return result;
}

WL_HOOK CUresult cuLibraryLoadData(
    CUlibrary* library,
    const void* image,
    CUjit_option* options,
    void** values,
    unsigned count,
    CUlibraryOption* library_options,
    void** library_values,
    unsigned library_count
) {
    const CUresult result = WL_REAL(cuLibraryLoadData
    )(library, image, options, values, count, library_options, library_values, library_count);
    if (result == CUDA_SUCCESS && is_armed()) module_loaded(*library, image);
    return result;
}
WL_HOOK CUresult cuLibraryLoadFromFile(
    CUlibrary* library,
    const char* file,
    CUjit_option* options,
    void** values,
    unsigned count,
    CUlibraryOption* library_options,
    void** library_values,
    unsigned library_count
) {
    const CUresult result = WL_REAL(cuLibraryLoadFromFile
    )(library, file, options, values, count, library_options, library_values, library_count);
    if (result == CUDA_SUCCESS && is_armed()) module_loaded_from(*library, file);
    return result;
}
WL_HOOK CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    const CUresult result = WL_REAL(cuLibraryGetKernel)(kernel, library, name);
    if (result == CUDA_SUCCESS && is_armed()) function_found(*kernel, library, name, true);
    return result;
}
WL_HOOK CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    const CUresult result = WL_REAL(cuLibraryGetModule)(module, library);
    if (result == CUDA_SUCCESS && is_armed()) module_is(*module, library);
    return result;
}
WL_HOOK CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    const CUresult result = WL_REAL(cuKernelGetFunction)(function, kernel);
    if (result == CUDA_SUCCESS && is_armed()) function_is(*function, kernel);
    return result;
}

WL_HOOK CUresult cuLinkAddData_v2(
    CUlinkState state,
    CUjitInputType kind,
    void* data,
    size_t size,
    const char* name,
    unsigned count,
    CUjit_option* options,
    void** values
) {
    linked(kind == CU_JIT_INPUT_PTX, data, size);
    return WL_REAL(cuLinkAddData_v2)(state, kind, data, size, name, count, options, values);
}
WL_HOOK CUresult cuLinkAddData(
    CUlinkState state,
    CUjitInputType kind,
    void* data,
    size_t size,
    const char* name,
    unsigned count,
    CUjit_option* options,
    void** values
) {
    linked(kind == CU_JIT_INPUT_PTX, data, size);
    return WL_REAL(cuLinkAddData)(state, kind, data, size, name, count, options, values);
}
WL_HOOK int nvJitLinkAddData(void* handle, int kind, const void* data, size_t size, const char* name) {
    constexpr int kPtx = 2;  // NVJITLINK_INPUT_PTX, nvJitLink.h
    linked(kind == kPtx, data, size);
    return WL_REAL(nvJitLinkAddData)(handle, kind, data, size, name);
}
WL_HOOK int nvrtcGetCUBIN(void* program, char* cubin) {
    auto* const function = WL_REAL(nvrtcGetCUBIN);
    const int result = function(program, cubin);
    if (result == 0 && is_armed()) take_text(reinterpret_cast<void*>(function), program);
    return result;
}
// NOLINTEND(readability-identifier-naming,readability-function-size)
