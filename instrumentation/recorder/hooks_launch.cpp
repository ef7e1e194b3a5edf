// Launches, in each of the ways that the driver takes them.
#include "instrumentation/recorder/hooked.h"
#include "instrumentation/recorder/keep.h"
#include "instrumentation/recorder/watch.h"

#include <optional>

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): the names and parameters are CUDA's
namespace wl::recorder {
namespace {

// The cluster, and whether the grid can synchronise, are attributes of a launch.
Launching launching_of(const CUlaunchConfig& c, CUfunction function, void** params, void** extra) {
    Launching l;
    l.function = function, l.stream = c.hStream;
    l.grid = {c.gridDimX, c.gridDimY, c.gridDimZ}, l.block = {c.blockDimX, c.blockDimY, c.blockDimZ};
    l.shared = c.sharedMemBytes, l.params = params, l.extra = extra;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const CUlaunchAttributeValue& value = c.attrs[i].value;
        if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) l.cooperative = value.cooperative != 0;
        if (c.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            l.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    }
    return l;
}

// The driver's own launch, kept if it is its turn. `describe` is asked only then.
template <class Forward, class Describe>
CUresult watched(CUfunction function, const Forward& forward, const Describe& describe) {
    if (!is_armed()) return forward();
    if (const std::optional<Turn> turn = turn_of(function)) return keep_launch(describe(), *turn, forward);
    return forward();
}

template <Hooked which>
CUresult launch(const Launching& l) {
    const auto forward = [&] {
        const Dim3 &g = l.grid, &b = l.block;
        return real<decltype(::cuLaunchKernel)>(which
        )(l.function, g.x, g.y, g.z, b.x, b.y, b.z, l.shared, l.stream, l.params, l.extra);
    };
    return watched(l.function, forward, [&] { return l; });
}

template <Hooked which>
CUresult launch_cooperative(const Launching& l) {
    const auto forward = [&] {
        const Dim3 &g = l.grid, &b = l.block;
        return real<decltype(::cuLaunchCooperativeKernel)>(which
        )(l.function, g.x, g.y, g.z, b.x, b.y, b.z, l.shared, l.stream, l.params);
    };
    return watched(l.function, forward, [&] { return l; });
}

template <Hooked which>
CUresult launch_by_config(const CUlaunchConfig* config, CUfunction f, void** params, void** extra) {
    return watched(
        f,
        [&] { return real<decltype(::cuLaunchKernelEx)>(which)(config, f, params, extra); },
        [&] { return launching_of(*config, f, params, extra); }
    );
}

}  // namespace
}  // namespace wl::recorder

using namespace wl::recorder;

WL_HOOK CUresult cuLaunchKernel(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream stream,
    void** params,
    void** extra
) {
    const Launching l{
        f, stream, {gx,  gy, gz},
          {bx, by, bz},
          {},
          shared, false, params, extra
    };
    return launch<Hooked::cuLaunchKernel>(l);
}
WL_HOOK CUresult cuLaunchKernel_ptsz(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream stream,
    void** params,
    void** extra
) {
    const Launching l{
        f, stream, {gx,  gy, gz},
          {bx, by, bz},
          {},
          shared, false, params, extra
    };
    return launch<Hooked::cuLaunchKernel_ptsz>(l);
}

WL_HOOK CUresult cuLaunchCooperativeKernel(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream stream,
    void** params
) {
    const Launching l{
        f, stream, {gx,  gy, gz},
          {bx, by, bz},
          {},
          shared, true, params, nullptr
    };
    return launch_cooperative<Hooked::cuLaunchCooperativeKernel>(l);
}
WL_HOOK CUresult cuLaunchCooperativeKernel_ptsz(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream stream,
    void** params
) {
    const Launching l{
        f, stream, {gx,  gy, gz},
          {bx, by, bz},
          {},
          shared, true, params, nullptr
    };
    return launch_cooperative<Hooked::cuLaunchCooperativeKernel_ptsz>(l);
}

WL_HOOK CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** params, void** extra) {
    return launch_by_config<Hooked::cuLaunchKernelEx>(config, f, params, extra);
}
WL_HOOK CUresult
cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f, void** params, void** extra) {
    return launch_by_config<Hooked::cuLaunchKernelEx_ptsz>(config, f, params, extra);
}

// NOLINTEND(readability-identifier-naming,readability-function-size)
