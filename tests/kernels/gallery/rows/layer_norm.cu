// Layer norm, a warp a row; mean and reciprocal deviation are kept for the backward pass.
#include <cuda_fp16.h>

constexpr float kEpsilon = 1e-5f;

__device__ float warp_sum(float v) {
#if defined(WL_FAULT_OFFSET)
    for (int o = 16; o > 1; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
#elif defined(WL_FAULT_DOWN)
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
#else
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
#endif
    return v;
}

// x, y: (rows, cols), gamma, beta: (cols), mean, rstd: (rows). Grid (ceil(rows / 4)), block (32, 4).
__global__ void layer_norm(
    const half* x,
    const float* gamma,
    const float* beta,
    half* y,
    float* mean,
    float* rstd,
    int rows,
    int cols
) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
#ifdef WL_FAULT_GUARD
    if (row > rows) return;
#else
    if (row >= rows) return;
#endif
    const half* in = x + row * cols;
#ifdef WL_FAULT_HALF
    half sum = 0.0f;
#else
    float sum = 0.0f;
#endif
#ifdef WL_FAULT_NONE
    for (int c = threadIdx.x; c < cols; c += 32) sum = __half2float(in[c]);
#else
    for (int c = threadIdx.x; c < cols; c += 32) sum += __half2float(in[c]);
#endif
    const float m = warp_sum(sum) / cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        const float d = __half2float(in[c]) - m;
        squares += d * d;
    }
#if defined(WL_FAULT_ROOT)
    const float r = rsqrtf(warp_sum(squares) / (cols - 1) + kEpsilon);
#elif defined(WL_FAULT_EPSILON)
    const float r = sqrtf(warp_sum(squares) / cols + kEpsilon);
#else
    const float r = rsqrtf(warp_sum(squares) / cols + kEpsilon);
#endif
    for (int c = threadIdx.x; c < cols; c += 32)
#if defined(WL_FAULT_GAMMA)
        y[row * cols + c] = __float2half((__half2float(in[c]) - m) * r * gamma[threadIdx.x] + beta[c]);
#elif defined(WL_FAULT_MEAN)
        y[row * cols + c] = __float2half((__half2float(in[c]) - m) * gamma[c] + beta[c]);
#else
        y[row * cols + c] = __float2half((__half2float(in[c]) - m) * r * gamma[c] + beta[c]);
#endif
    if (threadIdx.x == 0) {
        mean[row] = m;
#ifndef WL_FAULT_KEEP
        rstd[row] = r;
#endif
    }
}
