// What the code that nvcc puts into a program calls before main, and around <<<>>>.
#include "instrumentation/base/demangle.h"
#include "shim/cudart/launches.h"
#include "shim/guard/caller.h"

#include <array>
#include <utility>

namespace wl::cudart {

// missing.cpp calls it, for which CUDA's own headers cannot be there.
int unsupported_name(const char* name);  // NOLINT(misc-use-internal-linkage)
int unsupported_name(const char* name) { return static_cast<int>(unsupported(name)); }

namespace {

struct Configuration {
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = nullptr;
    const void* caller = nullptr;  // the place of <<<>>>
};
// Arguments of a launch may launch themselves; as deep as this. What needs no destructor takes nothing of the
// program's heap when a thread begins to use it.
constexpr size_t kDepth = 16;
thread_local std::array<Configuration, kDepth> configurations;
thread_local size_t depth = 0;
thread_local const void* configured_at = nullptr;

runtime::Module& module_of(void** handle) { return *reinterpret_cast<runtime::Module*>(handle); }

}  // namespace

const void* take_configured_place() { return std::exchange(configured_at, nullptr); }

}  // namespace wl::cudart

using namespace wl::cudart;
using wl::runtime::Module;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
    const Call call = begin();
    auto& all = call.machine.modules;
    all.push_back(std::make_unique<Module>());
    all.back()->wrapper = wrapper;
    all.back()->number = static_cast<int>(all.size());
    return reinterpret_cast<void**>(all.back().get());
}

void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}

void __cudaUnregisterFatBinary(void** /*handle*/) {}

char __cudaInitModule(void** /*handle*/) { return 1; }

void __cudaRegisterFunction(
    void** handle,
    const char* stub,
    char* /*device_function*/,
    const char* name,
    int /*thread_limit*/,
    uint3* /*tid*/,
    uint3* /*bid*/,
    dim3* /*block*/,
    dim3* /*grid*/,
    int* /*warp_size*/
) {
    const Call call = begin();
    call.machine.kernels[stub] = {&module_of(handle), name, wl::demangle(name), 0};
}

void __cudaRegisterVar(
    void** handle,
    char* host,
    char* /*device*/,
    const char* name,
    int /*ext*/,
    size_t size,
    int constant,
    int /*global*/
) {
    const Call call = begin();
    call.machine.symbols[host] = {&module_of(handle), name, size, constant != 0, nullptr};
}

void __cudaRegisterManagedVar(
    void** handle,
    void** host,
    char* /*device*/,
    const char* name,
    int /*ext*/,
    size_t size,
    int /*constant*/,
    int /*global*/
) {
    const Call call = begin();
    wl::runtime::Symbol symbol{&module_of(handle), name, size, false, host};
    const uint64_t made = place_managed(call.machine, symbol);
    *host = pointer_of(made);
    call.machine.symbols[host] = symbol;
}

void __cudaRegisterHostVar(void** /*handle*/, const char* /*name*/, char* /*host*/, size_t /*size*/) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    if (depth == kDepth) return cudaErrorInvalidConfiguration;
    configurations[depth++] = {grid, block, shared, stream, wl::guard::caller()};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    if (depth == 0) return cudaErrorMissingConfiguration;
    const Configuration c = configurations[--depth];
    *grid = c.grid, *block = c.block, *shared = c.shared;
    *static_cast<cudaStream_t*>(stream) = c.stream;
    configured_at = c.caller;
    return cudaSuccess;
}

// A kernel's handle is the address of its stub.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(stub));
    return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
    const Call call = begin_without_looking();
    if (kernel_of(call.machine, stub) == nullptr) return done(cudaErrorInvalidDeviceFunction);
    return __cudaGetKernel(kernel, stub);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* stub) {
    const Call call = begin_without_looking();
    if (kernel_of(call.machine, stub) == nullptr) return done(cudaErrorInvalidDeviceFunction);
    if (function != nullptr) *function = static_cast<cudaFunction_t>(const_cast<void*>(stub));
    return cudaSuccess;
}
}
