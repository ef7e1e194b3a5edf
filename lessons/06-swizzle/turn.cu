// y = x transposed, in tiles of 32 x 32 that take exactly 4096 bytes: there is no room for padding.
__device__ int place(int row, int column) { return column; }  // where in its row an element lies

extern "C" __global__ void turn(const float* x, float* y, int n) {
    __shared__ float tile[32][32];
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][place(r, threadIdx.x)] = x[(row + r) * n + column];
    __syncthreads();
    const int to_column = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        y[(to_row + r) * n + to_column] = tile[threadIdx.x][place(threadIdx.x, r)];
}
