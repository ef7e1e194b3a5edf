// Sums of columns in shared memory that two warps add to, and an array that both exchange.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

// in: (rows, 64), out: (64): the sums of columns i and i + 32, plus the sizes of the first row from its other
// end. One block of 64 threads.
extern "C" __global__ void owners(const float* in, float* out, int rows) {
    __shared__ float sums[32], row[64];
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    if (i < 32) sums[i] = 0;
    row[i] = in[i];
    __syncthreads();
#ifdef WL_FAULT_BOTH
    for (int r = 0; r < rows; ++r) sums[lane] += in[64 * r + i];
    __syncthreads();
#else
    for (int turn = 0; turn < 2; ++turn) {
        if (turn == warp)
            for (int r = 0; r < rows; ++r) sums[lane] += in[64 * r + i];
        __syncthreads();
    }
#endif
    WL_TILE("sums", sums, 1, 32, 32);
    row[i] = -in[i];  // of the same size: no order of the warps changes the output
#ifndef WL_FAULT_BOTH
    __syncthreads();
#endif
    out[i] = sums[lane] + fabsf(row[63 - i]);
}
