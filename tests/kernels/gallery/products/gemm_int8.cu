// y = (q - zero) w of bytes, four products an instruction, scaled by row and column and rounded to half.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr int kTile = 16;

// q: (m, k / 4) words of four, zero: one for all of q; w: (n, k / 4); row_scale: (m), col_scale: (n), y: (m,
// n). Grid (ceil(n / 16), ceil(m / 16)), block (16, 16).
__global__ void gemm_int8(
    const int* q,
    const int* w,
    const float* row_scale,
    const float* col_scale,
    __half* y,
    int m,
    int n,
    int words,
    int zero
) {
    __shared__ int qs[kTile][kTile + 1], ws[kTile][kTile + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kTile + ty,
              col = blockIdx.x * kTile + tx;
    int acc = 0, sum = 0;
    for (int k0 = 0; k0 < words; k0 += kTile) {
#ifdef WL_FAULT_QGUARD
        qs[ty][tx] = row < m && k0 < words ? q[row * words + k0 + tx] : 0;
#else
        qs[ty][tx] = row < m && k0 + tx < words ? q[row * words + k0 + tx] : 0;
#endif
        const int other = blockIdx.x * kTile + ty;
#ifdef WL_FAULT_COLUMN
        ws[ty][tx] = other < n && k0 + tx < words ? w[col * words + k0 + tx] : 0;
#else
        ws[ty][tx] = other < n && k0 + tx < words ? w[other * words + k0 + tx] : 0;
#endif
        __syncthreads();
        for (int k = 0; k < kTile; ++k) {
#ifdef WL_FAULT_LANE
            acc = __dp4a(qs[ty][k], ws[k][tx], acc);
#else
            acc = __dp4a(qs[ty][k], ws[tx][k], acc);
#endif
#ifdef WL_FAULT_ONES
            sum = __dp4a(0x01010101, qs[ty][k], sum);
#else
            sum = __dp4a(0x01010101, ws[tx][k], sum);
#endif
        }
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
    if (row < m && col < n) {
#ifdef WL_FAULT_ZERO
        const int exact = acc + zero * sum;
#else
        const int exact = acc - zero * sum;
#endif
        WL_LANES("exact", exact);
#if defined(WL_FAULT_SCALE)
        y[row * n + col] = __float2half(exact * row_scale[col] * col_scale[row]);
#elif defined(WL_FAULT_ONCE)
        y[row * n + col] = __float2half(exact * row_scale[row]);
#elif defined(WL_FAULT_NARROW)
        y[row * n + col] = __int2half_rn(exact) * __float2half(row_scale[row] * col_scale[col]);
#else
        y[row * n + col] = __float2half(exact * row_scale[row] * col_scale[col]);
#endif
    }
}
