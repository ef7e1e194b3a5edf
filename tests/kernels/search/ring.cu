// Sums of columns, tile by tile, the next tile on its way while one is summed: two stages that cp.async
// fills.
#include <cuda_pipeline.h>

constexpr int kRows = 4, kCols = 32;

__device__ void fetch(float* to, const float* from, int cols) {
    for (int r = 0; r < kRows; ++r)
        __pipeline_memcpy_async(to + r * kCols + threadIdx.x, from + r * cols + threadIdx.x, 4);
    __pipeline_commit();
}

// x: (4 * tiles, cols), y: (cols). Grid cols / 32, 32 threads.
__global__ void ring(const float* x, float* y, int tiles, int cols) {
    __shared__ float stage[2][kRows * kCols];
    x += blockIdx.x * kCols;
#if defined(WL_FAULT_UNSET)
    float sum;
#else
    float sum = 0.0f;
#endif
    fetch(stage[0], x, cols);
    for (int step = 0; step < tiles; ++step) {
        if (step + 1 < tiles)
            fetch(stage[(step + 1) % 2], x + (step + 1) * kRows * cols, cols);
        else
            __pipeline_commit();
#if defined(WL_FAULT_WAIT)
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(1);
#endif
        __syncwarp();
#if defined(WL_FAULT_BUFFER)
        const float* tile = stage[(step + 1) % 2];
#elif defined(WL_FAULT_FIRST)
        const float* tile = stage[0];
#else
        const float* tile = stage[step % 2];
#endif
        for (int r = 0; r < kRows; ++r) sum += tile[r * kCols + threadIdx.x];
        __syncwarp();
    }
    y[blockIdx.x * kCols + threadIdx.x] = sum;
}
