// A 3 x 3 convolution, channels first, padded by one; a block's filter lies in shared memory.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kTaps = 9, kMostChannels = 8;

// in: (channels, h, w), weights: (filters, channels, 3, 3), bias: (filters), out: (filters, oh, ow) with oh
// and ow the extents divided by the stride, rounded up. Grid (ceil(ow / 16), ceil(oh / 8), filters), block
// (16, 8).
__global__ void conv2d(
    const float* in,
    const float* weights,
    const float* bias,
    float* out,
    int channels,
    int h,
    int w,
    int stride
) {
    __shared__ float filter[kMostChannels * kTaps];
    const int f = blockIdx.z, t = threadIdx.y * blockDim.x + threadIdx.x;
#if defined(WL_FAULT_TAPS)
    if (t < (channels - 1) * kTaps) filter[t] = weights[f * channels * kTaps + t];
#elif defined(WL_FAULT_FILTER)
    if (t < channels * kTaps) filter[t] = weights[f * kTaps + t];
#else
    if (t < channels * kTaps) filter[t] = weights[f * channels * kTaps + t];
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    WL_TILE("weights", filter, 1, channels * kTaps, channels * kTaps);
#ifdef WL_FAULT_EXTENT
    const int oh = (h - 1) / stride + 1, ow = w / stride;
#else
    const int oh = (h - 1) / stride + 1, ow = (w - 1) / stride + 1;
#endif
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
#ifdef WL_FAULT_BIAS
    float sum = 1.0f;
#else
    float sum = bias[f];
#endif
    for (int c = 0; c < channels; ++c)
        for (int dy = -1; dy <= 1; ++dy)
#ifdef WL_FAULT_RIGHT
            for (int dx = -1; dx < 1; ++dx)
#else
            for (int dx = -1; dx <= 1; ++dx)
#endif
            {
#ifdef WL_FAULT_STRIDE
                const int sy = y * stride + dy, sx = x + dx;
#else
                const int sy = y * stride + dy, sx = x * stride + dx;
#endif
#if defined(WL_FAULT_PAD)
                if (sy <= 0 || sy >= h || sx < 0 || sx >= w) continue;
#elif defined(WL_FAULT_LEFT)
                if (sy < 0 || sy >= h || sx >= w) continue;
#else
            if (sy < 0 || sy >= h || sx < 0 || sx >= w) continue;
#endif
#ifdef WL_FAULT_FLIP
                sum += in[(c * h + sy) * w + sx] * filter[c * kTaps + (dx + 1) * 3 + dy + 1];
#else
                sum += in[(c * h + sy) * w + sx] * filter[c * kTaps + (dy + 1) * 3 + dx + 1];
#endif
            }
    out[(f * oh + y) * ow + x] = sum;
}
