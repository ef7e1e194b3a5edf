// Stresses: a triangular loop with a barrier each step, square roots and divisions, columns of shared memory,
// a triangular solve by one warp with shuffles.

constexpr int kSize = 32;

// One matrix a block: A = L L^T, then L y = b.
extern "C" __global__ void cholesky(
    const float* matrices, const float* right, float* factors, float* solved
) {
    __shared__ float l[kSize][kSize + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    l[y][x] = matrices[(blockIdx.x * kSize + y) * kSize + x] * 0.01f + (x == y ? 1.0f : 0.0f);
    __syncthreads();
    if (x > y) l[y][x] = l[x][y];
    __syncthreads();
    for (int k = 0; k < kSize; ++k) {
        if (x == k && y == k) l[k][k] = sqrtf(l[k][k]);
        __syncthreads();
        if (x == k && y > k) l[y][k] /= l[k][k];
        __syncthreads();
        if (x > k && y >= x) l[y][x] -= l[y][k] * l[x][k];
        __syncthreads();
    }
    factors[(blockIdx.x * kSize + y) * kSize + x] = x <= y ? l[y][x] : 0.0f;
    if (y > 0) return;
    float rest = right[blockIdx.x * kSize + x];
    for (int k = 0; k < kSize; ++k) {
        const float value = __shfl_sync(0xffffffff, rest / l[x][x], k);
        if (x == k) rest = value;
        if (x > k) rest -= l[x][k] * value;
    }
    solved[blockIdx.x * kSize + x] = rest;
}
