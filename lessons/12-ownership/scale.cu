// y = x * scale, column by column. Warp 7 brings the scale into shared memory; each warp owns eight rows.
#include <warplens.cuh>

extern "C" __global__ void scale(const float* x, const float* scale, float* y) {
    __shared__ float factor[32], tile[64][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.x * 64;
    if (warp == 7) factor[lane] = scale[lane];
    __syncthreads();
    if (warp != 7)
        for (int r = 0; r < 8; ++r) {
            const int row = warp * 8 + r;
            tile[row][lane] = x[(first + row) * 32 + lane] * factor[lane];
        }
    __syncthreads();
    WL_TILE("tile", &tile[0][0], 64, 32, 32);
    for (int row = warp; row < 64; row += 8) y[(first + row) * 32 + lane] = tile[row][lane];
}
