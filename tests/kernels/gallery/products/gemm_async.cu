// y = x w for a few rows of x: blocks walk down 32 columns of w, whose next rows are copied into a ring of
// three buffers meanwhile.
#include <cuda_pipeline.h>

constexpr int kRows = 8, kCols = 32, kStages = 3;

// Copies rows k0 to k0 + 7 of w: half a row by each of the first 64 threads, sixteen bytes at a time.
__device__ void fetch(float* to, const float* w, int n, int k0) {
    const int t = threadIdx.y * 32 + threadIdx.x, row = t / 8, col = t % 8 * 4;
#ifdef WL_FAULT_WORD
    if (row < kRows) __pipeline_memcpy_async(to + row * kCols + col, w + (k0 + row) * n + col + 1, 16);
#else
    if (row < kRows) __pipeline_memcpy_async(to + row * kCols + col, w + (k0 + row) * n + col, 16);
#endif
    __pipeline_commit();
}

// x: (m, k), w: (k, n), y: (m, n); n a multiple of 32, k of 8. Grid (n / 32, ceil(m / 4)), block (32, 4).
__global__ void gemm_async(const float* x, const float* w, float* y, int m, int n, int k) {
    __shared__ __align__(16) float ring[kStages][kRows * kCols];
    const int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * kCols + threadIdx.x;
    w += blockIdx.x * kCols;
#ifdef WL_FAULT_CLAMP
    const float* mine = x + row * k;
#else
    const float* mine = x + min(row, m - 1) * k;
#endif
    const int steps = k / kRows;
    fetch(ring[0], w, n, 0);
#ifdef WL_FAULT_SECOND
    fetch(ring[1], w, n, 0);
#else
    fetch(ring[1], w, n, kRows);
#endif
    float acc = 0.0f;
    for (int step = 0; step < steps; ++step) {
        if (step + 2 < steps)
            fetch(ring[(step + 2) % kStages], w, n, (step + 2) * kRows);
        else
            __pipeline_commit();
#ifdef WL_FAULT_PRIOR
        __pipeline_wait_prior(3);
#else
        __pipeline_wait_prior(2);
#endif
#ifndef WL_FAULT_STORED
        __syncthreads();
#endif
#ifdef WL_FAULT_PARITY
        const float* tile = ring[step % 2];
#else
        const float* tile = ring[step % kStages];
#endif
#if defined(WL_FAULT_DEPTH)
        for (int i = 0; i < kRows; ++i) acc += mine[step + i] * tile[i * kCols + threadIdx.x];
#elif defined(WL_FAULT_INNER)
        for (int i = 1; i < kRows; ++i) acc += mine[step * kRows + i] * tile[i * kCols + threadIdx.x];
#else
        for (int i = 0; i < kRows; ++i) acc += mine[step * kRows + i] * tile[i * kCols + threadIdx.x];
#endif
        __syncthreads();
    }
#ifdef WL_FAULT_ACROSS
    if (row < m) y[row * k + col] = acc;
#else
    if (row < m) y[row * n + col] = acc;
#endif
}
