// The softmax of each row of scaled logits, a block a row.
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_TILE(...)
#endif

constexpr int kWarps = 4;

// Every thread gets the result.
template <class F>
__device__ float block_reduce(float v, float none, float* part, F combine) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#ifdef WL_FAULT_OFFSET
    for (int o = 16; o > 0; o /= 2) v = combine(v, __shfl_down_sync(0xffffffff, v, o, 16));
#else
    for (int o = 16; o > 0; o /= 2) v = combine(v, __shfl_xor_sync(0xffffffff, v, o));
#endif
    if (lane == 0) part[warp] = v;
    __syncthreads();
#ifndef WL_FAULT_TWICE
    v = none;
#endif
#ifdef WL_FAULT_WARPS
    for (int w = 0; w < kWarps - 1; ++w) v = combine(v, part[w]);
#else
    for (int w = 0; w < kWarps; ++w) v = combine(v, part[w]);
#endif
#ifndef WL_FAULT_REUSE
    __syncthreads();
#endif
    return v;
}

// x, y: (rows, cols). Grid (rows), 128 threads.
__global__ void softmax(const float* x, float* y, int cols, float scale) {
    __shared__ float part[kWarps];
    const float* row = x + blockIdx.x * cols;
    float* out = y + blockIdx.x * cols;
    WL_STAGE("max");
#ifdef WL_FAULT_FLOOR
    float m = CUDART_INF_F;
#else
    float m = -CUDART_INF_F;
#endif
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c] * scale);
    m = block_reduce(m, -CUDART_INF_F, part, [](float a, float b) { return fmaxf(a, b); });
    WL_STAGE("sum");
    float sum = 0.0f;
#ifdef WL_FAULT_SCALE
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += __expf(row[c] - m);
#else
    for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += __expf(row[c] * scale - m);
#endif
    sum = block_reduce(sum, 0.0f, part, [](float a, float b) { return a + b; });
    WL_STAGE("store");
#if defined(WL_FAULT_SIGN)
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[c] = __expf(row[c] * scale + m) / sum;
#elif defined(WL_FAULT_DIVIDE)
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[c] = __expf(row[c] * scale - m);
#else
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[c] = __expf(row[c] * scale - m) / sum;
#endif
    __syncthreads();
    WL_TILE("row", out, 1, cols, cols);
}
