// y = x transposed, in tiles of 32 x 32: written into shared memory by rows, read from it by columns.
#include <warplens.cuh>

constexpr int kLd = 32;  // elements from one row of the tile to the next: its leading dimension

extern "C" __global__ void turn(const float* x, float* y, int n) {
    __shared__ float tile[32][kLd];
    WL_LAYOUT("tile", &tile[0][0], 32, 32, kLd, 0);
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = x[(row + r) * n + column];
    __syncthreads();
    const int to_column = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8) y[(to_row + r) * n + to_column] = tile[threadIdx.x][r];
}
