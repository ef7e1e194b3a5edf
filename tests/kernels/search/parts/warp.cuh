#ifndef WARP_CUH
#define WARP_CUH
__device__ inline float warp_sum(float value) {
#if defined(WL_FAULT_WARP)
    for (int step = 16; step > 1; step /= 2) value += __shfl_xor_sync(~0u, value, step);
#else
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
#endif
    return value;
}
#endif
