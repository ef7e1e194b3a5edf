// Stresses: tiled GEMM with register tiles, vector loads from shared memory, an unrolled inner loop, ragged
// shapes.

constexpr int kTile = 32, kStep = 8, kPer = 4;  // an 8x8 block of threads, 4x4 sums each

extern "C" __global__ void gemm_shared(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float sa[kStep][kTile];
    __shared__ __align__(16) float sb[kStep][kTile];
    const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile, thread = threadIdx.y * 8 + threadIdx.x;
    float sums[kPer][kPer] = {};
    for (int k0 = 0; k0 < k; k0 += kStep) {
        for (int e = thread; e < kStep * kTile; e += 64) {
            const int i = e / kTile, j = e % kTile;
            sa[i][j] = row0 + j < m && k0 + i < k ? a[(row0 + j) * k + k0 + i] : 0.0f;
            sb[i][j] = column0 + j < n && k0 + i < k ? b[(k0 + i) * n + column0 + j] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kStep; ++i) {
            const float4 right = *reinterpret_cast<const float4*>(&sb[i][threadIdx.x * kPer]);
            for (int r = 0; r < kPer; ++r) {
                const float left = sa[i][threadIdx.y * kPer + r];
                sums[r][0] += left * right.x;
                sums[r][1] += left * right.y;
                sums[r][2] += left * right.z;
                sums[r][3] += left * right.w;
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < kPer; ++r)
        for (int s = 0; s < kPer; ++s) {
            const int row = row0 + threadIdx.y * kPer + r, column = column0 + threadIdx.x * kPer + s;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
}
