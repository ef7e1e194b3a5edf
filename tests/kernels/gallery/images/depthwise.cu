// A causal convolution of each channel along time, as state-space models have it before the scan,
// its output times its own sigmoid. Rows of a block and the three before them come by cp.async.
#include <cuda_pipeline.h>

constexpr int kTaps = 4, kRows = 16, kHalo = kTaps - 1, kCols = 32;

// x, y: (length, channels), weights: (channels, 4), bias: (channels); channels a multiple of 32.
// Grid (channels / 32, ceil(length / 16)), block (32, 4).
__global__ void depthwise(
    const float* x, const float* weights, const float* bias, float* y, int length, int channels
) {
    __shared__ float rows[kHalo + kRows][kCols];
    const int c = blockIdx.x * kCols + threadIdx.x, t0 = blockIdx.y * kRows;
#ifdef WL_FAULT_LOAD
    for (int r = threadIdx.y; r < kRows; r += blockDim.y)
#else
    for (int r = threadIdx.y; r < kHalo + kRows; r += blockDim.y)
#endif
    {
#ifdef WL_FAULT_SHIFT
        const int t = t0 + r - kTaps;
#else
        const int t = t0 + r - kHalo;
#endif
#if defined(WL_FAULT_PAST)
        if (t < length) __pipeline_memcpy_async(&rows[r][threadIdx.x], x + t * channels + c, 4);
#elif defined(WL_FAULT_FIRST)
        if (t > 0 && t < length) __pipeline_memcpy_async(&rows[r][threadIdx.x], x + t * channels + c, 4);
#else
        if (t >= 0 && t < length) __pipeline_memcpy_async(&rows[r][threadIdx.x], x + t * channels + c, 4);
#endif
        else
            rows[r][threadIdx.x] = 0.0f;
    }
    __pipeline_commit();
#ifdef WL_FAULT_WAIT
    __pipeline_wait_prior(1);
#else
    __pipeline_wait_prior(0);
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    for (int r = threadIdx.y; r < kRows && t0 + r < length; r += blockDim.y) {
        float sum = bias[c];
#if defined(WL_FAULT_TAP)
        for (int k = 0; k < kHalo; ++k) sum += weights[c * kTaps + k] * rows[r + k][threadIdx.x];
#elif defined(WL_FAULT_ORDER)
        for (int k = 0; k < kTaps; ++k) sum += weights[c * kTaps + k] * rows[r + kHalo - k][threadIdx.x];
#elif defined(WL_FAULT_CHANNEL)
        for (int k = 0; k < kTaps; ++k) sum += weights[k * channels + c] * rows[r + k][threadIdx.x];
#else
        for (int k = 0; k < kTaps; ++k) sum += weights[c * kTaps + k] * rows[r + k][threadIdx.x];
#endif
#ifdef WL_FAULT_SIGN
        y[(t0 + r) * channels + c] = sum / (1.0f + __expf(sum));
#else
        y[(t0 + r) * channels + c] = sum / (1.0f + __expf(-sum));
#endif
    }
}
