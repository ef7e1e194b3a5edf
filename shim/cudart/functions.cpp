// Attributes of kernels and how many blocks fit: by threads and shared memory, as registers are not known
// before PTX becomes machine code.
#include "instrumentation/runtime/invalid_ptx.h"
#include "shim/cudart/state.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace wl::cudart {
namespace {

constexpr int kThreads = 2048, kBlocks = 32, kRegisters = 32;
constexpr size_t kShared = 228 << 10, kReserved = 1024, kMostShared = 227 << 10;

struct Sizes {
    cudaError_t error = cudaSuccess;
    size_t static_shared = 0;
    int most_threads = 1024;
    size_t dynamic_shared = 48 << 10;
    int target = 0;  // 80 of sm_80: libraries choose their block sizes by it
};

int target_of(const ptx::Module& code) {
    const size_t digits = code.target.find_first_of("0123456789");
    return digits == std::string::npos ? 0 : std::atoi(code.target.c_str() + digits);
}

Sizes sizes_of(const void* function) {
    const Call call = begin_without_looking();
    runtime::Kernel* kernel = kernel_of(call.machine, function);
    if (kernel == nullptr) return {cudaErrorInvalidDeviceFunction};
    try {
        const ptx::Module& code = runtime::parsed(*kernel->module, call.machine.modules);
        const ptx::Function* entry = ptx::find_entry(code, kernel->entry);
        if (entry == nullptr) return {cudaErrorInvalidDeviceFunction};
        Sizes out;
        out.target = target_of(code);
        out.static_shared =
            runtime::ready(*kernel->module, kernel->entry, call.machine.executor).static_shared;
        if (entry->max_threads[0] != 0)
            out.most_threads = static_cast<int>(
                entry->max_threads[0] * std::max(entry->max_threads[1], 1U) *
                std::max(entry->max_threads[2], 1U)
            );
        out.dynamic_shared = kernel->most_dynamic_shared != 0 ? kernel->most_dynamic_shared
                                                              : (size_t{48} << 10) - out.static_shared;
        return out;
    } catch (const runtime::InvalidPtx& e) {
        runtime::tell_error(call.machine, e.what());
        return {cudaErrorInvalidPtx};
    } catch (const std::exception& e) {
        runtime::tell_error(call.machine, e.what());
        return {cudaErrorInvalidDeviceFunction};
    }
}

int blocks_per_multiprocessor(const Sizes& sizes, int threads, size_t shared) {
    if (threads <= 0 || threads > sizes.most_threads) return 0;
    const int rounded = (threads + 31) / 32 * 32;
    if (shared > kMostShared || sizes.static_shared + shared > kMostShared) return 0;
    const size_t bytes = sizes.static_shared + shared + kReserved;
    const int by_registers = (65536 / kRegisters) / rounded;
    return std::min({kThreads / rounded, kBlocks, by_registers, static_cast<int>(kShared / bytes)});
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
    const Sizes sizes = sizes_of(function);
    if (sizes.error != cudaSuccess) return done(sizes.error);
    std::memset(out, 0, sizeof *out);
    out->sharedSizeBytes = sizes.static_shared, out->maxThreadsPerBlock = sizes.most_threads;
    out->numRegs = kRegisters, out->ptxVersion = out->binaryVersion = sizes.target;
    out->maxDynamicSharedSizeBytes = static_cast<int>(sizes.dynamic_shared);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    const Call call = begin_without_looking();
    wl::runtime::Kernel* kernel = kernel_of(call.machine, function);
    if (kernel == nullptr) return done(cudaErrorInvalidDeviceFunction);
    if (attribute < cudaFuncAttributeMaxDynamicSharedMemorySize || attribute >= cudaFuncAttributeMax)
        return done(cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout && (value < -1 || value > 100))
        return done(cudaErrorInvalidValue);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<size_t>(value) > kMostShared) return done(cudaErrorInvalidValue);
    kernel->most_dynamic_shared = static_cast<uint64_t>(value);
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
    const Call call = begin_without_looking();
    if (kernel_of(call.machine, function) == nullptr) return done(cudaErrorInvalidDeviceFunction);
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    const Call call = begin_without_looking();
    const wl::runtime::Kernel* kernel = kernel_of(call.machine, function);
    if (kernel == nullptr) return done(cudaErrorInvalidDeviceFunction);
    *name = kernel->entry.c_str();
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, const void* function, int threads, size_t shared
) {
    const Sizes sizes = sizes_of(function);
    if (sizes.error != cudaSuccess) return done(sizes.error);
    if (threads <= 0) return done(cudaErrorInvalidValue);
    *blocks = blocks_per_multiprocessor(sizes, threads, shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t shared, unsigned /*flags*/
) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t* bytes, const void* function, int blocks, int threads
) {
    const Sizes sizes = sizes_of(function);
    if (sizes.error != cudaSuccess) return done(sizes.error);
    if (blocks <= 0 || threads <= 0) return done(cudaErrorInvalidValue);
    const size_t each = kShared / static_cast<size_t>(blocks);
    const size_t left = std::min(kMostShared, each > kReserved ? each - kReserved : 0);
    *bytes = left - std::min(left, sizes.static_shared);
    return cudaSuccess;
}
}
