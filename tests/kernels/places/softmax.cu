// The softmax of each row; its faults divide some columns by too much, and use shared memory again too soon.

// x, y: (blocks, cols). Blocks of 256.
__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float part[8];
    const float* row = x + blockIdx.x * cols;
    float m = -1e30f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
    __syncthreads();
    for (int w = 0; w < 8; w++) m = fmaxf(m, part[w]);
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(row[c] - m);
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
#ifndef WL_FAULT_RACE
    __syncthreads();
#endif
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int w = 0; w < 8; w++) s += part[w];
#ifdef WL_FAULT_BAD
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[blockIdx.x * cols + c] = expf(row[c] - m) / (c < 512 ? s : 2 * s);
#else
    for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = expf(row[c] - m) / s;
#endif
}
