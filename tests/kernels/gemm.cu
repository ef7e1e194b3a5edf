// Tiled GEMM through shared memory, C = A B with fp16 inputs and fp32 sums: a user's kernel that is no
// attention.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_TILE(...)
#define WL_WARP_TILE(...)
#define WL_FRAGMENT(...)
#endif

constexpr int kWarps = 8;
constexpr int kRows = TILE / kWarps;  // consecutive rows of C's tile that a warp owns
constexpr int kLd = TILE + 2;         // padded leading dimension of the tiles of A and B
constexpr int kLdSums = TILE + 1;
static_assert(TILE == 32, "a warp spans the columns of a tile");

// Element (row, column) of a row-major (rows, columns) matrix; zero outside.
__device__ __half element(const __half* matrix, int rows, int columns, int row, int column) {
    return row < rows && column < columns ? matrix[row * columns + column] : __float2half(0.0f);
}

// A: (m, k), B: (k, n), C: (m, n). Grid (ceil(n / TILE), ceil(m / TILE)), block (32, 8).
extern "C" __global__ void gemm(const __half* A, const __half* B, float* C, int m, int n, int k) {
    __shared__ __half a[TILE * kLd], b[TILE * kLd];
    __shared__ float sums[TILE * kLdSums];
    const int column = threadIdx.x, first_row = threadIdx.y * kRows;
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    for (int i = 0; i < kRows; ++i) sums[(first_row + i) * kLdSums + column] = 0.0f;

#ifdef WL_FAULT_LAST
    const int last = k - TILE;  // the last step along k is left out
#else
    const int last = k;
#endif
    for (int k0 = 0; k0 < last; k0 += TILE) {
        WL_STAGE("load");
        for (int i = 0; i < kRows; ++i) {
            const int row = first_row + i;
            a[row * kLd + column] = element(A, m, k, row0 + row, k0 + column);
            b[row * kLd + column] = element(B, k, n, k0 + row, column0 + column);
        }
#ifdef WL_FAULT_SYNC
        __syncwarp();  // B's rows come from all warps
#else
        __syncthreads();
#endif
        WL_TILE("A", a, TILE, TILE, kLd);
        WL_TILE("B", b, TILE, TILE, kLd);

        WL_STAGE("multiply");
#ifdef WL_FAULT_STRIDE
        constexpr int kReadLd = TILE;  // written with the padded leading dimension, read without
#else
        constexpr int kReadLd = kLd;
#endif
        float dot[kRows] = {};
        for (int inner = 0; inner < TILE; ++inner)
            for (int i = 0; i < kRows; ++i)
                dot[i] += __half2float(a[(first_row + i) * kLd + inner]) *
                    __half2float(b[inner * kReadLd + column]);
        WL_FRAGMENT("dot", dot);
        for (int i = 0; i < kRows; ++i) sums[(first_row + i) * kLdSums + column] += dot[i];
        WL_WARP_TILE("stripe", sums + first_row * kLdSums, kRows, TILE, kLdSums);
        __syncthreads();
        WL_TILE("sums", sums, TILE, TILE, kLdSums);
    }

    WL_STAGE("store");
    for (int row = first_row; row < first_row + kRows; ++row)
        if (row0 + row < m && column0 + column < n)
            C[(row0 + row) * n + column0 + column] = sums[row * kLdSums + column];
}
