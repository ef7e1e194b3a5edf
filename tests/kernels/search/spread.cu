// The variance of each row, and its softmax's first element: what single roundings do to them.
#include <cuda_fp16.h>

__device__ float sum_of(float v, float* part) {
    part[threadIdx.x] = v;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    const float sum = part[0];
    __syncthreads();
    return sum;
}

__global__ void spread(const float* x, float* variance, float* first, int cols) {
    __shared__ float part[64];
    const float* row = x + blockIdx.x * cols;
    const int t = threadIdx.x;
    float sum = 0.0f, squares = 0.0f, top = -1e30f;
    for (int c = t; c < cols; c += 64) {
        sum += row[c];
        top = fmaxf(top, row[c]);
    }
#if defined(WL_FAULT_HALF)
    const __half kept = __float2half(sum_of(sum, part) / cols);
    const float mean = __half2float(kept);
#else
    const float mean = sum_of(sum, part) / cols;
#endif
#if defined(WL_FAULT_MOMENTS)
    for (int c = t; c < cols; c += 64) squares += row[c] * row[c];
    const float of_row = sum_of(squares, part) / cols - mean * mean;
#else
    for (int c = t; c < cols; c += 64) squares += (row[c] - mean) * (row[c] - mean);
    const float of_row = sum_of(squares, part) / cols;
#endif
    part[t] = top;
    __syncthreads();
    for (int i = 0; i < 64; ++i) top = fmaxf(top, part[i]);
    __syncthreads();
#if defined(WL_FAULT_TOP)
    top = 0.0f;
#endif
    float under = 0.0f;
    for (int c = t; c < cols; c += 64) under += expf(row[c] - top);
    const float all = sum_of(under, part);
    if (t == 0) {
        variance[blockIdx.x] = of_row;
#if defined(WL_FAULT_SCALED)
        first[blockIdx.x] = expf(row[0] - top) * 1e38f / (all * 1e38f);
#else
        first[blockIdx.x] = expf(row[0] - top) / all;
#endif
    }
}
