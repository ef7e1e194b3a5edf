// GEMM by wmma: two warps, each with a 16 x 16 tile of C; the step's rows of B pass through shared memory.
#include <cuda_fp16.h>

#include <mma.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

using namespace nvcuda;

constexpr int kStep = 16, kColumns = 32, kLdB = kColumns + 8, kLdC = kColumns + 4;

// A: (m, k), B: (k, n), bias: (n), C: (m, n); m, k multiples of 16, n of 32. Grid (n / 32, m / 16), 64
// threads.
__global__ void gemm_wmma(const half* A, const half* B, const float* bias, float* C, int n, int k) {
    __shared__ half b[kStep * kLdB];
    __shared__ float sums[kStep * kLdC];
    const int warp = threadIdx.x / 32, row0 = blockIdx.y * kStep, col0 = blockIdx.x * kColumns;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
#ifdef WL_FAULT_LAYOUT
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
#else
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
#endif
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
#ifndef WL_FAULT_START
    wmma::fill_fragment(acc, 0.0f);
#endif
#ifdef WL_FAULT_LAST
    for (int k0 = 0; k0 < k - kStep; k0 += kStep)
#else
    for (int k0 = 0; k0 < k; k0 += kStep)
#endif
    {
        for (int i = threadIdx.x; i < kStep * kColumns; i += blockDim.x)
#ifdef WL_FAULT_ROW
            b[i / kColumns * kLdB + i % kColumns] = B[i / kColumns * n + col0 + i % kColumns];
#else
            b[i / kColumns * kLdB + i % kColumns] = B[(k0 + i / kColumns) * n + col0 + i % kColumns];
#endif
#ifndef WL_FAULT_STORE
        __syncthreads();
#endif
        WL_TILE("B", b, kStep, kColumns, kLdB);
#ifdef WL_FAULT_LDA
        wmma::load_matrix_sync(fa, A + row0 * k + k0, n);
#else
        wmma::load_matrix_sync(fa, A + row0 * k + k0, k);
#endif
#ifdef WL_FAULT_HALF
        wmma::load_matrix_sync(fb, b, kLdB);
#else
        wmma::load_matrix_sync(fb, b + warp * 16, kLdB);
#endif
#ifdef WL_FAULT_TWICE
        wmma::mma_sync(acc, fa, fb, acc);
        if (k0 == 0) wmma::mma_sync(acc, fa, fb, acc);
#else
        wmma::mma_sync(acc, fa, fb, acc);
#endif
        __syncthreads();
    }
    wmma::store_matrix_sync(sums + warp * 16, acc, kLdC, wmma::mem_row_major);
    __syncthreads();
    WL_TILE("sums", sums, kStep, kColumns, kLdC);
    for (int i = threadIdx.x; i < kStep * kColumns; i += blockDim.x) {
        const int row = i / kColumns, col = i % kColumns;
#ifdef WL_FAULT_BIAS
        C[(row0 + row) * n + col0 + col] = sums[row * kLdC + col];
#else
        C[(row0 + row) * n + col0 + col] = sums[row * kLdC + col] + bias[col0 + col];
#endif
    }
}
