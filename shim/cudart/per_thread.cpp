// The names of programs whose default stream is one of each thread, for the functions that there are.
#include "shim/cudart/streams.h"

// After what it needs.
#include "shim/cudart/compiler_calls.h"

namespace wl::cudart {
namespace {

template <class T>
T in_own_stream(T argument) {
    return argument;
}
cudaStream_t in_own_stream(cudaStream_t stream) { return stream == nullptr ? cudaStreamPerThread : stream; }

template <auto* kFunction>
struct PerThread;
template <class... A, cudaError_t (*kFunction)(A...)>
struct PerThread<kFunction> {
    static cudaError_t in_stream(A... arguments) { return kFunction(in_own_stream(arguments)...); }
    static cudaError_t waits(A... arguments) {
        const runtime::InStream issued(order_of(cudaStreamPerThread));
        runtime::issuing().waits = true;
        return kFunction(arguments...);
    }
};

}  // namespace
}  // namespace wl::cudart

// The arguments' registers and the stack stay as they are.
#define WL_JUMP(name, suffix, to)                                                                \
    __attribute__((used)) static decltype(&(name))                                               \
        const wl_per_thread_##name __asm__("wl_per_thread_" #name) = to;                         \
    __asm__(".text\n.globl " #name #suffix "\n.type " #name #suffix ",@function\n" #name #suffix \
            ":\n"                                                                                \
            "    jmp *wl_per_thread_" #name "(%rip)\n.size " #name #suffix ", .-" #name #suffix "\n");
#define WL_IN_STREAM(name, suffix) WL_JUMP(name, suffix, &wl::cudart::PerThread<&(name)>::in_stream)
#define WL_WAITS(name) WL_JUMP(name, _ptds, &wl::cudart::PerThread<&(name)>::waits)
#include "shim/cudart/per_thread.inc"

extern "C" cudaError_t cudaLaunchKernelExC_ptsz(
    const cudaLaunchConfig_t* config, const void* function, void** arguments
);
extern "C" cudaError_t cudaLaunchKernelExC_ptsz(
    const cudaLaunchConfig_t* config, const void* function, void** arguments
) {
    cudaLaunchConfig_t own = *config;
    own.stream = wl::cudart::in_own_stream(own.stream);
    return cudaLaunchKernelExC(&own, function, arguments);
}

// What <<<>>> becomes.
extern "C" cudaError_t __cudaLaunchKernel_ptsz(
    cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream
) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, wl::cudart::in_own_stream(stream));
}
