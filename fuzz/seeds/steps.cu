// Two warps, two turns, every kind of mark: small enough for thousands of runs a minute.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_TILE(...)
#define WL_WARP_TILE(...)
#define WL_FRAGMENT(...)
#endif

constexpr int kSide = 8, kLd = 9, kTurns = 2;

// x and y: (blocks * kTurns, 8, 8). Block of 64 threads.
extern "C" __global__ void steps(const float* x, float* y, int rows) {
    __shared__ float tile[kSide * kLd];
    const int row = threadIdx.x / kSide, column = threadIdx.x % kSide;
    for (int turn = 0; turn < kTurns; ++turn) {
        const int plane = blockIdx.x * kTurns + turn;
        WL_STAGE("load");
        tile[row * kLd + column] = plane * kSide < rows ? x[plane * kSide * kSide + threadIdx.x] : 0.0f;
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
        WL_TILE("x", tile, kSide, kSide, kLd);
        WL_STAGE("sum");
        float sum[1] = {};
        for (int k = 0; k < kSide; ++k) sum[0] += tile[row * kLd + k] * tile[k * kLd + column];
        WL_FRAGMENT("sum", sum);
#ifdef WL_FAULT_LAST
        if (threadIdx.x == 63) sum[0] += 1.0f;
#endif
        if (plane * kSide < rows) y[plane * kSide * kSide + threadIdx.x] = sum[0];
        WL_WARP_TILE("half", tile + threadIdx.x / 32 * 4 * kLd, 4, kSide, kLd);
        __syncthreads();
    }
}
