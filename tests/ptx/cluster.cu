// The families that are recognised and not executed: clusters, bulk and tensor copies, wgmma.
#include <cooperative_groups.h>

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(float* out, unsigned long long map) {
    __shared__ __align__(128) float tile[1024];
    auto group = cooperative_groups::this_cluster();
    group.sync();
    tile[threadIdx.x] = group.map_shared_rank(tile, 1)[threadIdx.x];
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;\n\t"
        "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 4096;\n\t"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], "
        "[%0];\n\t"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%0];\n\t"
        "fence.proxy.async;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;"
        :
        : "r"(shared), "l"(map), "r"(3)
    );
    float d[4] = {};
    asm volatile(
        "wgmma.fence.sync.aligned;\n\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, "
        "%5, 1, 1, 1, 0, 0;\n\t"
        "wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(map), "l"(map + 1)
    );
    out[threadIdx.x] = tile[0] + d[0] + d[3];
}
