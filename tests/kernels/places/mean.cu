// A sum by atomics that every block reads before all have added to it.

// x: (n), sum: (1), mean: (blocks). Blocks of 128.
__global__ void mean(const float* x, float* sum, float* out, int n) {
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) {
#ifdef WL_FAULT_PLAIN
        if (blockIdx.x == 0)
            *sum += v;
        else
#endif
            atomicAdd(sum, v);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = *sum / n;
}
