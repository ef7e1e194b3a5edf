// Sums of rows: of a warp's lanes, then four lanes of the first warp add what the warps have. The upper two
// of them read lanes that take no part, and what they get goes nowhere.
extern "C" __global__ void tail_lanes(const float* x, float* y, int cols, float scale) {
    __shared__ float part[4];
    float v = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) v += x[blockIdx.x * cols + i];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 4) {
        v = part[threadIdx.x];
        for (int o = 2; o > 0; o /= 2) v += __shfl_down_sync(0xfu, v, o);
#ifdef WL_FAULT_SCALE
        if (threadIdx.x == 0) y[blockIdx.x] = v;
#else
        if (threadIdx.x == 0) y[blockIdx.x] = v * scale;
#endif
    }
}
