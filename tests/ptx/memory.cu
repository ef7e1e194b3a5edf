// Memory and synchronisation: atomics, fences, cp.async, mbarriers, warp collectives, cooperative groups,
// vectors.
#include <cuda/barrier>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void memory(
    int* out, const float4* __restrict__ in, float* sums, unsigned long long* wide, __half2* halves
) {
    __shared__ __align__(16) float tile[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const int i = threadIdx.x;
    if (i == 0) init(&barrier, blockDim.x);
    __syncthreads();
    __pipeline_memcpy_async(tile + 4 * (i & 63), in + i, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    barrier.arrive_and_wait();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    out[0] = cg::reduce(warp, i, cg::plus<int>());
    out[1] = warp.shfl_xor(i, 3) + warp.ballot(i & 1) + __match_any_sync(0xffffffff, i) +
        __syncthreads_count(i & 1);
    out[2] = __reduce_add_sync(0xffffffff, static_cast<unsigned>(i)) + __activemask() +
        __any_sync(0xffffffff, i > 3);
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(out + 3, static_cast<int>(active.size()));
    atomicAdd(sums, tile[i]);
    atomicAdd(halves, halves[1]);
    atomicCAS(wide, 1ULL, 2ULL);
    atomicMax(out + 4, i);
    atomicInc(reinterpret_cast<unsigned*>(out) + 5, 7u);
    atomicAdd_block(out + 6, 1);
    __threadfence_system();
    float4 v = __ldg(in + i);
    __stcs(reinterpret_cast<float4*>(sums) + i, v);
    __nanosleep(20);
    out[7] = static_cast<int>(clock64() + __cvta_generic_to_shared(tile) + __isShared(tile));
    cg::this_grid().sync();
    volatile int* flag = out + 8;
    while (*flag == 0) {}
    int index;
    asm volatile(
        "{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\t@p mov.u32 %0, 1;\n\t@!p mov.u32 %0, 0;\n\t}"
        : "=r"(index)
    );
    out[9] = index;
}
