// residual += x, y = residual / rms(residual) x weight: a block a row, eight halves at a time.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kThreads = 128, kWarps = kThreads / 32, kEight = 8;

struct __align__(16) Eight {
    half v[kEight];
};

// x, residual, y: (rows, cols), weight: (cols), cols a multiple of 8. Grid (rows), 128 threads.
__global__ void rms_norm(const half* x, half* residual, const half* weight, half* y, int cols) {
    __shared__ float sums[kWarps];
#ifdef WL_FAULT_ONE
    const Eight* in = reinterpret_cast<const Eight*>(x + blockIdx.x * (cols + 1));
#else
    const Eight* in = reinterpret_cast<const Eight*>(x + blockIdx.x * cols);
#endif
    Eight* kept = reinterpret_cast<Eight*>(residual + blockIdx.x * cols);
#ifdef WL_FAULT_HALF
    half squares = 0.0f;
#else
    float squares = 0.0f;
#endif
    for (int i = threadIdx.x; i < cols / kEight; i += kThreads) {
        Eight e = kept[i];
        for (int j = 0; j < kEight; ++j) {
            const float v = __half2float(e.v[j]) + __half2float(in[i].v[j]);
            e.v[j] = __float2half(v);
#ifdef WL_FAULT_LAST
            squares = __half2float(e.v[j]) * __half2float(e.v[j]);
#else
            squares += __half2float(e.v[j]) * __half2float(e.v[j]);
#endif
        }
        kept[i] = e;
    }
#ifdef WL_FAULT_INDEX
    for (int o = 16; o > 0; o /= 2) squares += __shfl_sync(0xffffffff, squares, o);
#else
    for (int o = 16; o > 0; o /= 2) squares += __shfl_xor_sync(0xffffffff, squares, o);
#endif
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = squares;
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    WL_TILE("sums", sums, 1, kWarps, kWarps);
    float total = 0.0f;
#ifdef WL_FAULT_OWN
    for (int w = 0; w < kWarps; ++w) total += sums[threadIdx.x / 32];
#else
    for (int w = 0; w < kWarps; ++w) total += sums[w];
#endif
#if defined(WL_FAULT_COUNT)
    const float scale = rsqrtf(total + 1e-6f);
#elif defined(WL_FAULT_ROOT)
    const float scale = sqrtf(total / cols + 1e-6f);
#else
    const float scale = rsqrtf(total / cols + 1e-6f);
#endif
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += kThreads)
#if defined(WL_FAULT_INPUT)
        y[blockIdx.x * cols + c] =
            __float2half(__half2float(x[blockIdx.x * cols + c]) * scale * __half2float(weight[c]));
#elif defined(WL_FAULT_PLAIN)
        y[blockIdx.x * cols + c] =
            __float2half(__half2float(residual[blockIdx.x * cols + c]) * __half2float(weight[c]));
#else
        y[blockIdx.x * cols + c] =
            __float2half(__half2float(residual[blockIdx.x * cols + c]) * scale * __half2float(weight[c]));
#endif
}
