// Launches of kernels.
#include "shim/cudart/launches.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/invalid_ptx.h"
#include "shim/guard/caller.h"

#include <optional>

namespace wl::cudart {
namespace {

Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

}  // namespace

cudaError_t launch(const void* function, const Shape& shape, void** args, cudaStream_t stream) {
    // The call itself stands in a stub of the compiler's.
    if (const void* place = take_configured_place()) runtime::issuing().caller = place;
    Call call = begin_without_looking();
    runtime::Machine& m = call.machine;
    runtime::Kernel* kernel = kernel_of(m, function);
    if (kernel == nullptr)
        return done(function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle);
    std::vector<std::byte> params;
    const auto cannot = [&m](const char* why, cudaError_t error) {
        if (m.unsupported.insert(why).second) print_notice(std::string("warplens: ") + why + "\n");
        runtime::tell_error(m, why);
        return done(error);
    };
    try {
        std::optional<std::vector<std::byte>> there = runtime::params_from(m, *kernel, args);
        if (!there) return done(cudaErrorInvalidValue);
        params = std::move(*there);
    } catch (const runtime::InvalidPtx& e) {
        return cannot(e.what(), cudaErrorInvalidPtx);
    } catch (const std::exception& e) { return cannot(e.what(), cudaErrorNoKernelImageForDevice); }
    call.lock.unlock();
    return launch_with(function, shape, std::move(params), stream);
}

cudaError_t launch_with(
    const void* function, const Shape& shape, std::vector<std::byte> params, cudaStream_t stream
) {
    Call call = begin_without_looking();
    runtime::Kernel* kernel = kernel_of(call.machine, function);
    if (kernel == nullptr) return done(cudaErrorInvalidDeviceFunction);
    runtime::Request request{
        extent(shape.grid),
        extent(shape.block),
        shape.shared,
        shape.cooperative,
        shape.programmatic,
        std::move(params)};
    const auto work = [kernel, request] {
        Call inner = begin_without_looking();
        return error_of(runtime::launch(inner.machine, *kernel, request));
    };
    call.lock.unlock();
    return done(submit(stream, cudaGraphNodeTypeKernel, work));
}

}  // namespace wl::cudart

using namespace wl::cudart;

namespace {
constexpr auto kLastAttribute = cudaLaunchAttributeNvlinkUtilCentricScheduling;
}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(
    const void* function, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
) {
    return launch(function, {grid, block, shared}, args, stream);
}

cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
) {
    return launch(kernel, {grid, block, shared}, args, stream);
}

cudaError_t cudaLaunchCooperativeKernel(
    const void* function, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t stream
) {
    return launch(function, {grid, block, shared, true, false}, args, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** args) {
    Shape shape{config->gridDim, config->blockDim, config->dynamicSmemBytes};
    for (unsigned k = 0; k < config->numAttrs; ++k) {
        cudaLaunchAttribute a;
        if (!wl::runtime::read_host(&a, config->attrs + k, sizeof a) || a.id < 0 || a.id > kLastAttribute)
            return done(cudaErrorInvalidValue);
        if (a.id == cudaLaunchAttributeCooperative) shape.cooperative = a.val.cooperative != 0;
        if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization)
            shape.programmatic = a.val.programmaticStreamSerializationAllowed != 0;
        const dim3 cluster(a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z);
        if (a.id != cudaLaunchAttributeClusterDimension) continue;
        const dim3& grid = config->gridDim;
        if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0 || grid.x % cluster.x != 0 ||
            grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
            return done(cudaErrorInvalidClusterSize);
        if (cluster.x * cluster.y * cluster.z > 1) return unsupported("cudaLaunchKernelExC with clusters");
    }
    wl::runtime::issuing().outer = wl::guard::outer_callers();  // the call mostly stands in cuda_runtime.h
    const cudaError_t error = launch(function, shape, args, config->stream);
    wl::runtime::issuing().outer = {};
    return error;
}
}
