// Running sums of each block's elements; its fault leaves the first warp's sum out.

// x, y: (n). Blocks of 128.
__global__ void scan(const float* x, float* y, int n) {
    __shared__ float sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = i < n ? x[i] : 0;
    for (int o = 1; o < 32; o *= 2) {
        float t = __shfl_up_sync(~0u, v, o);
        if (lane >= o) v += t;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
#ifdef WL_FAULT_BAD
    for (int w = 1; w < warp; w++) v += sums[w];
#else
    for (int w = 0; w < warp; w++) v += sums[w];
#endif
    if (i < n) y[i] = v;
}
