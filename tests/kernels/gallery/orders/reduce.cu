// The sum and the greatest element of what each block strides over.
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kThreads = 128;

// x: (n), sums, tops: (blocks). Grid (blocks), 128 threads.
__global__ void reduce(const float* x, float* sums, float* tops, int n) {
    __shared__ float part[kThreads], top[kThreads];
    const int t = threadIdx.x;
#ifdef WL_FAULT_FLOOR
    float sum = 0.0f, most = 0.0f;
#else
    float sum = 0.0f, most = -CUDART_INF_F;
#endif
#if defined(WL_FAULT_STRIDE)
    for (int i = blockIdx.x * kThreads + t; i < n; i += kThreads)
#elif defined(WL_FAULT_BOUND)
    for (int i = blockIdx.x * kThreads + t; i <= n; i += gridDim.x * kThreads)
#else
    for (int i = blockIdx.x * kThreads + t; i < n; i += gridDim.x * kThreads)
#endif
    {
        sum += x[i];
#ifdef WL_FAULT_LEAST
        most = fminf(most, x[i]);
#else
        most = fmaxf(most, x[i]);
#endif
    }
    part[t] = sum;
    top[t] = most;
#ifdef WL_FAULT_HALVES
    for (int half = kThreads / 2; half > 32; half /= 2)
#else
    for (int half = kThreads / 2; half >= 32; half /= 2)
#endif
    {
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
#ifdef WL_FAULT_FOLD
        if (t <= half)
#else
        if (t < half)
#endif
        {
            part[t] += part[t + half];
            top[t] = fmaxf(top[t], top[t + half]);
        }
    }
    __syncthreads();
    WL_TILE("parts", part, 1, 32, 32);
    if (t >= 32) return;
    sum = part[t];
    most = top[t];
    for (int o = 16; o > 0; o /= 2) {
#ifdef WL_FAULT_MASK
        sum += __shfl_down_sync(0x0000ffff, sum, o);
#else
        sum += __shfl_down_sync(0xffffffff, sum, o);
#endif
        most = fmaxf(most, __shfl_down_sync(0xffffffff, most, o));
    }
    if (t == 0) {
        sums[blockIdx.x] = sum;
        tops[blockIdx.x] = most;
    }
}
