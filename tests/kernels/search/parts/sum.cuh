// What a block sums: a warp by shuffles, then the warps' parts.
#pragma once
#include "warp.cuh"

__device__ inline float block_sum(float value, float* parts) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) parts[warp] = value;
    __syncthreads();
    float total = 0.0f;
#if defined(WL_FAULT_SUM)
    for (int w = 1; w < blockDim.x / 32; ++w) total += parts[w];
#else
    for (int w = 0; w < blockDim.x / 32; ++w) total += parts[w];
#endif
    return total;
}
