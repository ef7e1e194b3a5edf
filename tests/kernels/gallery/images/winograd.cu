// Convolution by 3x3 filters with a border of zeros, by Winograd's F(2x2, 3x3): a thread four outputs.
#include "winograd.cuh"

constexpr int kMostChannels = 8;

// x: (channels, height, width), filters: (grid.y, channels, 3, 3), bias: (grid.y), y: (grid.y, height,
// width). Grid (ceil(tiles / 64), filters), 64 threads.
template <typename Real, bool kRelu>
__global__ void winograd(
    const Real* __restrict__ x,
    const Real* __restrict__ filters,
    const Real* __restrict__ bias,
    Real* __restrict__ y,
    int channels,
    int height,
    int width
) {
    __shared__ Real u[kMostChannels][16];
    const int filter = blockIdx.y;
    for (int c = threadIdx.x; c < channels; c += blockDim.x)
#ifdef WL_FAULT_FILTERS
        transform_filter(filters + (c * gridDim.y + filter) * 9, u[c]);
#else
        transform_filter(filters + (filter * channels + c) * 9, u[c]);
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    const int across = (width + 1) / 2, down = (height + 1) / 2;
    const int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= across * down) return;
#ifdef WL_FAULT_TILES
    const int top = tile / width * 2, left = tile % width * 2;
#else
    const int top = tile / across * 2, left = tile % across * 2;
#endif
    Real sum[16] = {};
    for (int c = 0; c < channels; ++c) {
        Real d[16];
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
#ifdef WL_FAULT_BORDER
                const int row = top + i, col = left + j;
#else
                const int row = top + i - 1, col = left + j - 1;
#endif
#ifdef WL_FAULT_LEFT
                const bool inside = row >= 0 && row < height && col < width;
#else
                const bool inside = row >= 0 && row < height && col >= 0 && col < width;
#endif
#ifdef WL_FAULT_PLANE
                d[4 * i + j] = inside ? x[(c * width + row) * width + col] : Real(0);
#else
                d[4 * i + j] = inside ? x[(c * height + row) * width + col] : Real(0);
#endif
            }
        transform_input(d);
#ifdef WL_FAULT_CHANNELS
        for (int k = 0; k < 16; ++k) sum[k] = d[k] * u[c][k];
#else
        for (int k = 0; k < 16; ++k) sum[k] += d[k] * u[c][k];
#endif
    }
    Real out[4];
    transform_output(sum, out);
    for (int k = 0; k < 4; ++k) {
        const int row = top + k / 2, col = left + k % 2;
#ifdef WL_FAULT_ODD
        if (row >= height) continue;
#else
        if (row >= height || col >= width) continue;
#endif
        Real value = out[k] + bias[filter];
        if (kRelu && value < Real(0)) value = Real(0);
        y[(filter * height + row) * width + col] = value;
    }
}

template __global__ void winograd<float, true>(
    const float*, const float*, const float*, float*, int, int, int
);
