// Launches of kernels.
#include "shim/cudart/launches.h"

#include "instrumentation/base/error.h"

#include <cstdio>

namespace wl::cudart {
namespace {

Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

}  // namespace

cudaError_t launch(const void* function, const Shape& shape, void** args, cudaStream_t stream) {
    Call call = begin();
    runtime::Machine& m = call.machine;
    runtime::Kernel* kernel = kernel_of(m, function);
    if (kernel == nullptr) return done(cudaErrorInvalidDeviceFunction);
    std::vector<std::byte> params;
    try {
        params = runtime::params_from(m, *kernel, args);
    } catch (const std::exception& e) {
        if (m.unsupported.insert(e.what()).second) std::fprintf(stderr, "warplens: %s\n", e.what());
        runtime::tell_error(m, e.what());
        return done(cudaErrorNoKernelImageForDevice);
    }
    call.lock.unlock();
    return launch_with(function, shape, std::move(params), stream);
}

cudaError_t launch_with(
    const void* function, const Shape& shape, std::vector<std::byte> params, cudaStream_t stream
) {
    Call call = begin();
    runtime::Kernel* kernel = kernel_of(call.machine, function);
    if (kernel == nullptr) return done(cudaErrorInvalidDeviceFunction);
    runtime::Request request{
        extent(shape.grid), extent(shape.block), shape.shared, shape.cooperative, std::move(params)};
    const auto work = [kernel, request] {
        Call inner = begin();
        return error_of(runtime::launch(inner.machine, *kernel, request));
    };
    call.lock.unlock();
    return done(submit(stream, cudaGraphNodeTypeKernel, work));
}

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaLaunchKernel(
    const void* function, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
) {
    return launch(function, {grid, block, shared, false}, args, stream);
}

cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
) {
    return launch(kernel, {grid, block, shared, false}, args, stream);
}

cudaError_t cudaLaunchCooperativeKernel(
    const void* function, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
) {
    return launch(function, {grid, block, shared, true}, args, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** args) {
    Shape shape{config->gridDim, config->blockDim, config->dynamicSmemBytes, false};
    for (unsigned k = 0; k < config->numAttrs; ++k) {
        const cudaLaunchAttribute& a = config->attrs[k];
        if (a.id == cudaLaunchAttributeCooperative) shape.cooperative = a.val.cooperative != 0;
        const dim3 cluster(a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z);
        if (a.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1)
            return unsupported("cudaLaunchKernelExC with clusters");
    }
    return launch(function, shape, args, config->stream);
}
}
