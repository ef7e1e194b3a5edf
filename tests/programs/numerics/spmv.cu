// Stresses: a sparse matrix (CSR) times a vector, a warp a row: loads through indices, rows of every length
// and empty ones, read-only loads.

extern "C" __global__ void spmv(
    const int* starts, const int* columns, const float* values, const float* x, float* y, int rows
) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += __ldg(values + i) * __ldg(x + columns[i]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) y[row] = sum;
}
