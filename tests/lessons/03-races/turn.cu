// y = x transposed, in tiles of 32 x 32. A block has eight warps; each brings four rows.
extern "C" __global__ void turn(const float* x, float* y, int n) {
    __shared__ float tile[32][33];
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) tile[r][threadIdx.x] = x[(row + r) * n + column];
    __syncthreads();
    const int to_column = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8) y[(to_row + r) * n + to_column] = tile[threadIdx.x][r];
}
