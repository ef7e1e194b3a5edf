// GEMM whose threads own 4 x 4 sums each; the next tiles are on their way while these are multiplied.

constexpr int kBm = 32, kBn = 32, kBk = 8, kT = 4;  // tile of C, step along k, sums of a thread each way

__device__ float4 load(const float* from) { return *reinterpret_cast<const float4*>(from); }

// A: (m, k), B: (k, n), C: (m, n); m and n multiples of 32, k of 8. Grid (n / 32, m / 32), 64 threads.
__global__ void gemm_register(const float* A, const float* B, float* C, int n, int k) {
#ifdef WL_FAULT_PAD
    __shared__ __align__(16) float as[2][kBk][kBm], bs[2][kBk][kBn + 1];
#else
    __shared__ __align__(16) float as[2][kBk][kBm], bs[2][kBk][kBn];
#endif
    const int t = threadIdx.x, tx = t % 8, ty = t / 8;
    const int a_row = t / 2, a_col = t % 2 * 4, b_row = t / 8, b_col = t % 8 * 4;
    A += blockIdx.y * kBm * k;
#ifdef WL_FAULT_BLOCK
    B += blockIdx.y * kBn;
#else
    B += blockIdx.x * kBn;
#endif
#ifdef WL_FAULT_ZERO
    float acc[kT][kT];
#else
    float acc[kT][kT] = {};
#endif
    float4 a = load(A + a_row * k + a_col), b = load(B + b_row * n + b_col);
    int buffer = 0;
    for (int k0 = 0; k0 < k; k0 += kBk) {
        as[buffer][a_col + 0][a_row] = a.x;
        as[buffer][a_col + 1][a_row] = a.y;
        as[buffer][a_col + 2][a_row] = a.z;
#ifdef WL_FAULT_LANE
        as[buffer][a_col + 3][a_row] = a.z;
#else
        as[buffer][a_col + 3][a_row] = a.w;
#endif
        *reinterpret_cast<float4*>(&bs[buffer][b_row][b_col]) = b;
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
        if (k0 + kBk < k) {
            a = load(A + a_row * k + k0 + kBk + a_col);
            b = load(B + (k0 + kBk + b_row) * n + b_col);
        }
#ifdef WL_FAULT_INNER
        for (int i = 0; i < kBk - 1; ++i)
#else
        for (int i = 0; i < kBk; ++i)
#endif
            for (int y = 0; y < kT; ++y)
                for (int x = 0; x < kT; ++x)
#ifdef WL_FAULT_KEEP
                    acc[y][x] = as[buffer][i][ty * kT + y] * bs[buffer][i][tx * kT + x];
#else
                    acc[y][x] += as[buffer][i][ty * kT + y] * bs[buffer][i][tx * kT + x];
#endif
#ifndef WL_FAULT_PARITY
        buffer ^= 1;
#endif
    }
    const int row = blockIdx.y * kBm + ty * kT, col = blockIdx.x * kBn + tx * kT;
    for (int y = 0; y < kT; ++y)
#ifdef WL_FAULT_CORNER
        for (int x = 0; x < kT; ++x) C[(row + y) * n + col + x] = acc[x][y];
#else
        for (int x = 0; x < kT; ++x) C[(row + y) * n + col + x] = acc[y][x];
#endif
}
