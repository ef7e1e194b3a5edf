// C = alpha A B + beta C, in tiles of 16 x 16 through shared memory.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kTile = 16, kLd = kTile + 1;

// A: (m, k), B: (k, n), C: (m, n). Grid (ceil(n / 16), ceil(m / 16)), block (16, 16).
__global__ void gemm_tiled(
    const float* A, const float* B, float* C, int m, int n, int k, float alpha, float beta
) {
    __shared__ float a[kTile * kLd], b[kTile * kLd];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
#ifdef WL_FAULT_START
    float acc = 1.0f;
#else
    float acc = 0.0f;
#endif
#ifdef WL_FAULT_SHORT
    for (int k0 = 0; k0 + kTile <= k; k0 += kTile)
#else
    for (int k0 = 0; k0 < k; k0 += kTile)
#endif
    {
#ifdef WL_FAULT_LDA
        a[ty * kLd + tx] = row < m && k0 + tx < k ? A[row * n + k0 + tx] : 0.0f;
#else
        a[ty * kLd + tx] = row < m && k0 + tx < k ? A[row * k + k0 + tx] : 0.0f;
#endif
#ifdef WL_FAULT_GUARD
        b[ty * kLd + tx] = col < n ? B[(k0 + ty) * n + col] : 0.0f;
#else
        b[ty * kLd + tx] = k0 + ty < k && col < n ? B[(k0 + ty) * n + col] : 0.0f;
#endif
        __syncthreads();
        WL_TILE("A", a, kTile, kTile, kLd);
        WL_TILE("B", b, kTile, kTile, kLd);
#ifdef WL_FAULT_ROWS
        for (int i = 0; i < kTile; ++i) acc += a[ty * kLd + i] * b[tx * kLd + i];
#else
        for (int i = 0; i < kTile; ++i) acc += a[ty * kLd + i] * b[i * kLd + tx];
#endif
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
#if defined(WL_FAULT_ALPHA)
    if (row < m && col < n) C[row * n + col] = acc + beta * C[row * n + col];
#elif defined(WL_FAULT_SIGN)
    if (row < m && col < n) C[row * n + col] = alpha * acc - beta * C[row * n + col];
#else
    if (row < m && col < n) C[row * n + col] = alpha * acc + beta * C[row * n + col];
#endif
}
