// y = W x + (alpha / rank) B (A x): a layer with an adapter of low rank, in bfloat16. A block a token, a warp
// an output; A x is made first, by all warps, into shared memory.
#include <cuda_bf16.h>

#include <cooperative_groups.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

namespace cg = cooperative_groups;
using Warp = cg::thread_block_tile<32>;
using bf16 = __nv_bfloat16;

constexpr int kMostRank = 16;

__device__ float row_dot(const Warp& warp, const bf16* row, const bf16* x, int k) {
    const __nv_bfloat162* rows = reinterpret_cast<const __nv_bfloat162*>(row);
    const __nv_bfloat162* xs = reinterpret_cast<const __nv_bfloat162*>(x);
    float sum = 0.0f;
    for (int i = warp.thread_rank(); i < k / 2; i += warp.size()) {
#ifdef WL_FAULT_NARROW
        const float2 p = __bfloat1622float2(__hmul2(rows[i], xs[i]));
        sum += p.x + p.y;
#else
        const float2 a = __bfloat1622float2(rows[i]), b = __bfloat1622float2(xs[i]);
        sum += a.x * b.x + a.y * b.y;
#endif
    }
#ifdef WL_FAULT_LANES
    for (int reach = warp.size() / 4; reach > 0; reach /= 2) sum += warp.shfl_down(sum, reach);
#else
    for (int reach = warp.size() / 2; reach > 0; reach /= 2) sum += warp.shfl_down(sum, reach);
#endif
    return sum;
}

// x: (tokens, k), w: (n, k), a: (rank, k), b: (n, rank), y: (tokens, n); k even, rank at most 16. Grid
// tokens, 128 threads.
__global__ void lora(
    const bf16* x, const bf16* w, const bf16* a, const bf16* b, bf16* y, int n, int k, int rank, float alpha
) {
    __shared__ float low[kMostRank];
    const Warp warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int warps = warp.meta_group_size();
#ifdef WL_FAULT_TOKEN
    const bf16* token = x + blockIdx.x * n;
#else
    const bf16* token = x + blockIdx.x * k;
#endif
#ifdef WL_FAULT_RANKS
    for (int r = warp.meta_group_rank(); r < rank - 1; r += warps) {
#else
    for (int r = warp.meta_group_rank(); r < rank; r += warps) {
#endif
        const float sum = row_dot(warp, a + r * k, token, k);
        if (warp.thread_rank() == 0) low[r] = sum;
    }
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    WL_TILE("low", low, 1, rank, kMostRank);
    for (int row = warp.meta_group_rank(); row < n; row += warps) {
        const float base = row_dot(warp, w + row * k, token, k);
        float adapter = 0.0f;
#ifdef WL_FAULT_STRIDE
        for (int r = 0; r < rank; ++r) adapter += __bfloat162float(b[row * kMostRank + r]) * low[r];
#else
        for (int r = 0; r < rank; ++r) adapter += __bfloat162float(b[row * rank + r]) * low[r];
#endif
#ifdef WL_FAULT_RANK
        const float value = base + alpha * adapter;
#else
        const float value = base + alpha / rank * adapter;
#endif
#ifdef WL_FAULT_LAST
        if (warp.thread_rank() == warp.size() - 1) y[blockIdx.x * n + row] = __float2bfloat16(value);
#else
        if (warp.thread_rank() == 0) y[blockIdx.x * n + row] = __float2bfloat16(value);
#endif
    }
}
