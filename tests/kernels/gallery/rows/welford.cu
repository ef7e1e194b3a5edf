// Mean and unbiased variance of each column in one pass, after Welford: a warp a column, and Chan's formula
// for the lanes' shares.
#include <cuda_fp16.h>

struct Moments {
    float count, mean, squares;  // squares: sum of squared distances from the mean
};

__device__ Moments merged(Moments a, Moments b) {
#ifdef WL_FAULT_DELTA
    const float count = a.count + b.count, delta = a.mean - b.mean;
#else
    const float count = a.count + b.count, delta = b.mean - a.mean;
#endif
#ifndef WL_FAULT_NONE
    if (count == 0.0f) return a;
#endif
#ifdef WL_FAULT_SHARE
    const int share = b.count / count;
#else
    const float share = b.count / count;
#endif
#if defined(WL_FAULT_CROSS)
    return {count, a.mean + delta * share, a.squares + b.squares};
#elif defined(WL_FAULT_WEIGHT)
    return {count, a.mean + delta * share, a.squares + b.squares + delta * delta * share};
#else
    return {count, a.mean + delta * share, a.squares + b.squares + delta * delta * a.count * share};
#endif
}

// x: (rows, cols), mean, variance: (cols). Grid (ceil(cols / 8)), block (32, 8).
__global__ void welford(const float* x, float* mean, float* variance, int rows, int cols) {
    const int c = blockIdx.x * blockDim.y + threadIdx.y;
    if (c >= cols) return;
#ifdef WL_FAULT_ONE
    Moments all = {1.0f, 0.0f, 0.0f};
#else
    Moments all = {0.0f, 0.0f, 0.0f};
#endif
    for (int r = threadIdx.x; r < rows; r += 32) {
#if defined(WL_FAULT_ACROSS)
        const float v = x[c * rows + r];
#elif defined(WL_FAULT_HALF)
        const float v = __float2half(x[r * cols + c]);
#else
        const float v = x[r * cols + c];
#endif
        all.count += 1.0f;
        const float delta = v - all.mean;
        all.mean += delta / all.count;
#ifdef WL_FAULT_OLD
        all.squares += delta * delta;
#else
        all.squares += delta * (v - all.mean);
#endif
    }
#ifdef WL_FAULT_STEP
    for (int o = 16; o > 1; o /= 2)
#else
    for (int o = 16; o > 0; o /= 2)
#endif
        all = merged(
            all,
            {__shfl_down_sync(0xffffffff, all.count, o),
             __shfl_down_sync(0xffffffff, all.mean, o),
#ifdef WL_FAULT_WIDTH
             __shfl_down_sync(0xffffffff, all.squares, o, 16)}
        );
#else
             __shfl_down_sync(0xffffffff, all.squares, o)}
        );
#endif
    if (threadIdx.x != 0) return;
    mean[c] = all.mean;
#ifdef WL_FAULT_BIAS
    variance[c] = all.squares / all.count;
#else
    variance[c] = all.squares / (all.count - 1.0f);
#endif
}
