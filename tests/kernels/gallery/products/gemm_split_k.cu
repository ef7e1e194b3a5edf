// GEMM for small m and n and a long k: each slice of blocks multiplies a part of k, and a second kernel adds
// the parts.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kTile = 16;

// A: (m, k), B: (k, n), parts: (splits, m, n). Grid (ceil(n / 16), ceil(m / 16), splits), block (16, 16).
__global__ void gemm_split_k(const float* A, const float* B, float* parts, int m, int n, int k) {
    __shared__ float a[kTile][kTile], b[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
#ifdef WL_FAULT_FLOOR
    const int length = k / gridDim.z;
#else
    const int length = (k + gridDim.z - 1) / gridDim.z;
#endif
#ifdef WL_FAULT_END
    const int begin = blockIdx.z * length, end = min(k - 1, begin + length);
#else
    const int begin = blockIdx.z * length, end = min(k, begin + length);
#endif
    float acc = 0.0f;
#ifdef WL_FAULT_BEGIN
    for (int k0 = 0; k0 < end; k0 += kTile)
#else
    for (int k0 = begin; k0 < end; k0 += kTile)
#endif
    {
#ifdef WL_FAULT_ROW
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.x;
#else
        const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
#endif
        a[threadIdx.y][threadIdx.x] = row < m && ka < end ? A[row * k + ka] : 0.0f;
#ifdef WL_FAULT_REACH
        b[threadIdx.y][threadIdx.x] = col < n ? B[kb * n + col] : 0.0f;
#else
        b[threadIdx.y][threadIdx.x] = kb < end && col < n ? B[kb * n + col] : 0.0f;
#endif
        __syncthreads();
        WL_TILE("A", &a[0][0], kTile, min(kTile, end - k0), kTile);
#ifdef WL_FAULT_TURN
        for (int i = 0; i < kTile; ++i) acc += a[i][threadIdx.y] * b[i][threadIdx.x];
#else
        for (int i = 0; i < kTile; ++i) acc += a[threadIdx.y][i] * b[i][threadIdx.x];
#endif
        __syncthreads();
    }
#ifdef WL_FAULT_SLICE
    if (row < m && col < n) parts[(blockIdx.z * n + row) * n + col] = acc;
#else
    if (row < m && col < n) parts[(blockIdx.z * m + row) * n + col] = acc;
#endif
}

// parts: (splits, m, n), C: (m, n). A thread an element, 128 a block.
__global__ void add_parts(const float* parts, float* C, int m, int n, int splits) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
#ifdef WL_FAULT_SEED
    float sum = parts[i];
#else
    float sum = 0.0f;
#endif
#if defined(WL_FAULT_FIRST)
    for (int s = 1; s < splits; ++s) sum += parts[s * m * n + i];
#elif defined(WL_FAULT_MINUS)
    for (int s = 0; s < splits; ++s) sum -= parts[s * m * n + i];
#else
    for (int s = 0; s < splits; ++s) sum += parts[s * m * n + i];
#endif
    C[i] = sum;
}
