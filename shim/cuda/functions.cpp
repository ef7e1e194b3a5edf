// What is told of a kernel, and its launches. A kernel of a library and the function of it are one handle.
#include "instrumentation/runtime/host_access.h"
#include "shim/cuda/argument_sizes.h"
#include "shim/cuda/modules.h"
#include "shim/cudart/launches.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

namespace wl::cuda {
namespace {

CUresult no_function(const char* what) {
    return refuse(
        CUDA_ERROR_INVALID_HANDLE, fmt::format("{} was given no function of a loaded module", what)
    );
}

struct Known {
    runtime::Kernel* kernel = nullptr;
    const ptx::Function* entry = nullptr;
};
Known known(runtime::Machine& m, const void* function) {
    Known out{cudart::kernel_of(m, function)};
    if (out.kernel != nullptr)
        out.entry = ptx::find_entry(runtime::parsed(*out.kernel->module, m.modules), out.kernel->entry);
    return out;
}

// Bytes of this process that may not be there: a launch with too few parameters points anywhere. Elements are
// read in order; the number that could be.
size_t read_all(const std::vector<iovec>& to, const std::vector<iovec>& from) {
    const ssize_t got = process_vm_readv(getpid(), to.data(), to.size(), from.data(), from.size(), 0);
    if (got < 0 && errno != EFAULT) {  // forbidden here: without the check
        for (size_t k = 0; k < to.size(); ++k) std::memcpy(to[k].iov_base, from[k].iov_base, to[k].iov_len);
        return to.size();
    }
    auto left = static_cast<size_t>(std::max<ssize_t>(got, 0));
    size_t whole = 0;
    while (whole < to.size() && left >= to[whole].iov_len) left -= to[whole++].iov_len;
    return whole;
}

std::string too_few(const Known& k, size_t passed) {
    return fmt::format(
        "a launch of {} passes {} of {} parameters", k.kernel->shown, passed, k.entry->params.size()
    );
}

// Said once, and the program's run is no ok.
void tell_misfit(const std::string& text) {
    const Call call = begin();
    runtime::tell_error_once(call.machine, text);
}

// From pointers to the arguments. Empty words: all of them were there.
std::string gather(const Known& k, void** args, std::vector<std::byte>& out) {
    const std::vector<runtime::ParamPlace> places = runtime::params_of(*k.entry);
    if (places.empty()) return {};
    if (args == nullptr) return too_few(k, 0);
    std::vector<void*> pointers(places.size());
    std::vector<iovec> to, from;
    for (size_t p = 0; p < places.size(); ++p) {
        to.push_back({&pointers[p], sizeof(void*)});
        from.push_back({args + p, sizeof(void*)});
    }
    if (const size_t there = read_all(to, from); there < places.size()) return too_few(k, there);
    for (size_t p = 0; p < places.size(); ++p) {
        to[p] = {out.data() + places[p].offset, places[p].bytes};
        from[p] = {pointers[p], places[p].bytes};
    }
    if (const size_t there = read_all(to, from); there < places.size()) return too_few(k, there);
    for (const std::string& doubt : doubts_of_arguments({k.kernel->shown, *k.entry, pointers, out}))
        tell_misfit(doubt);
    return {};
}

// A struct of the parameters ends at a multiple of its largest alignment.
size_t padded_bytes(const Known& k, size_t bytes) {
    size_t align = 1;
    for (const ptx::Variable& v : k.entry->params) align = std::max<size_t>(align, v.align);
    return (bytes + align - 1) / align * align;
}

// From the buffer that `extra` names, and its size.
std::string take_buffer(const Known& k, void** extra, std::vector<std::byte>& out) {
    const void* buffer = nullptr;
    const void* bytes = nullptr;
    for (std::array<void*, 2> pair{}; runtime::read_host(&pair[0], extra, sizeof pair[0]); extra += 2) {
        if (pair[0] == CU_LAUNCH_PARAM_END) break;
        if (!runtime::read_host(pair.data(), extra, sizeof pair)) break;
        if (pair[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = pair[1];
        if (pair[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = pair[1];
    }
    size_t passed = 0;
    if (buffer == nullptr || !runtime::read_host(&passed, bytes, sizeof passed)) return too_few(k, 0);
    if (passed < out.size())
        return fmt::format(
            "a launch of {} passes {} bytes of parameters; there are {}", k.kernel->shown, passed, out.size()
        );
    if (passed > padded_bytes(k, out.size()))
        tell_misfit(fmt::format(
            "a launch of {} passes {} bytes of parameters; there are {}: an argument is larger than its "
            "parameter, and later ones are taken from the wrong bytes",
            k.kernel->shown,
            passed,
            out.size()
        ));
    return runtime::read_host(out.data(), buffer, out.size()) ? "" : too_few(k, 0);
}

CUresult launch(
    const void* function, const cudart::Shape& shape, void** args, void** extra, CUstream stream
) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    std::vector<std::byte> params;
    {
        const Call call = begin();
        const Known k = known(call.machine, function);
        if (k.entry == nullptr) return no_function("a launch");
        params.resize(runtime::param_bytes(*k.entry));
        const std::string wrong = extra != nullptr ? take_buffer(k, extra, params) : gather(k, args, params);
        if (!wrong.empty()) return refuse(CUDA_ERROR_INVALID_VALUE, wrong);
    }
    return result_of(cudart::launch_with(function, shape, std::move(params), stream));
}

}  // namespace
}  // namespace wl::cuda

using namespace wl::cuda;
using wl::cudart::Shape;

namespace {

CUresult attribute(int* out, CUfunction_attribute which, const void* function) {
    return in_context([&] {
        cudaFuncAttributes a;
        const cudaError_t error = cudaFuncGetAttributes(&a, function);
        if (error != cudaSuccess) return error;
        switch (which) {
            case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *out = a.maxThreadsPerBlock; break;
            case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *out = static_cast<int>(a.sharedSizeBytes); break;
            case CU_FUNC_ATTRIBUTE_NUM_REGS: *out = a.numRegs; break;
            case CU_FUNC_ATTRIBUTE_PTX_VERSION: *out = a.ptxVersion; break;
            case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *out = a.binaryVersion; break;
            case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *out = a.maxDynamicSharedSizeBytes; break;
            case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *out = -1; break;
            default:
                if (which < 0 || which >= CU_FUNC_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
                *out = 0;
        }
        return cudaSuccess;
    });
}

CUresult set_attribute(const void* function, CUfunction_attribute which, int value) {
    if (which < CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || which >= CU_FUNC_ATTRIBUTE_MAX)
        return wl::cudart::kernel_of(begin().machine, function) == nullptr ? CUDA_ERROR_INVALID_HANDLE
                                                                           : CUDA_ERROR_INVALID_VALUE;
    return in_context([&] {
        return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(which), value);
    });
}

CUresult name_of(const char** out, const void* function) {
    return in_context([&] { return cudaFuncGetName(out, function); });
}

CUresult param_info(const void* function, size_t index, size_t* offset, size_t* bytes) {
    const Call call = begin();
    const Known k = known(call.machine, function);
    if (k.entry == nullptr) return no_function("cuFuncGetParamInfo");
    const std::vector<wl::runtime::ParamPlace> places = wl::runtime::params_of(*k.entry);
    if (index >= places.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = places[index].offset;
    if (bytes != nullptr) *bytes = places[index].bytes;
    return CUDA_SUCCESS;
}

Shape shape_of(
    unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared
) {
    return {
        {gx, gy, gz},
        {bx, by, bz},
        shared, false
    };
}

}  // namespace

extern "C" {

CUresult cuFuncGetAttribute(int* out, CUfunction_attribute which, CUfunction f) {
    return attribute(out, which, f);
}
CUresult cuKernelGetAttribute(int* out, CUfunction_attribute which, CUkernel k, CUdevice) {
    return attribute(out, which, k);
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute which, int value) {
    return set_attribute(f, which, value);
}
CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel k, CUdevice) {
    return set_attribute(k, which, value);
}
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
    return in_context([&] { return cudaFuncSetCacheConfig(f, static_cast<cudaFuncCache>(config)); });
}
CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice) {
    return in_context([&] { return cudaFuncSetCacheConfig(k, static_cast<cudaFuncCache>(config)); });
}
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig) { return CUDA_SUCCESS; }
CUresult cuFuncGetName(const char** out, CUfunction f) { return name_of(out, f); }
CUresult cuKernelGetName(const char** out, CUkernel k) { return name_of(out, k); }
CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t* offset, size_t* bytes) {
    return param_info(f, index, offset, bytes);
}
CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t* offset, size_t* bytes) {
    return param_info(k, index, offset, bytes);
}
CUresult cuFuncGetModule(CUmodule* out, CUfunction f) {
    if (f == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUmodule>(loaded_of(f));
    return *out != nullptr ? CUDA_SUCCESS : no_function("cuFuncGetModule");
}
CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel k) {
    *out = reinterpret_cast<CUlibrary>(loaded_of(k));
    return *out != nullptr ? CUDA_SUCCESS : no_function("cuKernelGetLibrary");
}
CUresult cuKernelGetFunction(CUfunction* out, CUkernel k) {
    *out = reinterpret_cast<CUfunction>(k);
    return loaded_of(k) != nullptr ? CUDA_SUCCESS : no_function("cuKernelGetFunction");
}
CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction) {
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream stream,
    void** args,
    void** extra
) {
    return launch(f, shape_of(gx, gy, gz, bx, by, bz, shared), args, extra, stream);
}

CUresult cuLaunchCooperativeKernel(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream stream,
    void** args
) {
    Shape shape = shape_of(gx, gy, gz, bx, by, bz, shared);
    shape.cooperative = true;
    return launch(f, shape, args, nullptr, stream);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** args, void** extra) {
    Shape shape = shape_of(
        c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes
    );
    for (unsigned k = 0; k < c->numAttrs; ++k) {
        CUlaunchAttribute a;
        if (!wl::runtime::read_host(&a, c->attrs + k, sizeof a)) return CUDA_ERROR_INVALID_VALUE;
        if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = a.value.cooperative != 0;
        if (a.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            shape.programmatic = a.value.programmaticStreamSerializationAllowed != 0;
        const auto& cluster = a.value.clusterDim;
        if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && cluster.x * cluster.y * cluster.z > 1)
            return static_cast<CUresult>(wl::cudart::unsupported("cuLaunchKernelEx with clusters"));
    }
    return launch(f, shape, args, extra, c->hStream);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction f, int threads, size_t shared) {
    return in_context([&] {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
    });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, CUfunction f, int threads, size_t shared, unsigned
) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction f, int blocks, int threads) {
    return in_context([&] { return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads); });
}

// The largest block of those that fill the most threads of a multiprocessor.
CUresult cuOccupancyMaxPotentialBlockSize(
    int* grid, int* block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit
) {
    int most = 0, multiprocessors = 0, best = 0;
    if (const CUresult error = attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
        error != CUDA_SUCCESS)
        return error;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (limit > 0) most = std::min(most, limit);
    *grid = 0, *block = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        const size_t bytes = shared_of != nullptr ? shared_of(threads) : shared;
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, bytes);
        if (blocks * threads > best)
            best = blocks * threads, *block = threads, *grid = blocks * multiprocessors;
    }
    return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int* grid, int* block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned
) {
    return cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}
}
