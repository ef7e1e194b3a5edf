// y[r] = (x[r - 1] + x[r] + x[r + 1]) / 3, TILE rows a block. A thread has a column of 128.
extern __shared__ float tile[];  // rows -1 to TILE of the block's window

extern "C" __global__ void blur(const float* x, float* y, int rows) {
    const int column = threadIdx.x, first = blockIdx.x * TILE;
    for (int r = -1; r <= TILE; ++r) {
        const int row = first + r;
        tile[(r + 1) * 128 + column] = row >= 0 && row < rows ? x[row * 128 + column] : 0.0f;
    }
    __syncthreads();
    for (int r = 0; r < TILE && first + r < rows; ++r) {
        const float* above = &tile[r * 128 + column];
        y[(first + r) * 128 + column] = (above[0] + above[128] + above[256]) / 3.0f;
    }
}
