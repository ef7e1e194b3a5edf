// Transposes through shared memory; its fault leaves blocks where they were.

// in: (rows, cols), out: (cols, rows). Blocks of 16 x 16.
__global__ void transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
#ifdef WL_FAULT_BAD
    int tx = blockIdx.x * 16 + threadIdx.x, ty = blockIdx.y * 16 + threadIdx.y;
#else
    int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
#endif
    if (tx < rows && ty < cols) out[ty * rows + tx] = tile[threadIdx.x][threadIdx.y];
}
