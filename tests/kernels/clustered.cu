// A kernel with an instruction on multicast memory, which the emulator does not execute: what is wrong with
// it is tried on a GPU, where no sum is as large as that.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

// x: (blocks, 64), y: (blocks, 64) = 2 x + the mean of x over the block's row.
extern "C" __global__ void clustered(const float* x, float* y) {
    __shared__ float row[64];
    const int i = threadIdx.x, from = 64 * blockIdx.x;
    row[i] = x[from + i];
    __syncthreads();
    WL_TILE("row", row, 1, 64, 64);
    float sum = 0;
    for (int k = 0; k < 64; ++k) {
        sum += row[k];
        asm volatile("" ::: "memory");  // so that a loop without an end stays one
    }
    if (sum > 1e30f) asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" ::"l"(y) : "memory");
#if defined(WL_FAULT_SIGN)
    y[from + i] = 2 * row[i] - sum / 64;
#elif defined(WL_FAULT_FACTOR)
    y[from + i] = (2 * row[i] + sum / 64) * 4;
#else
    y[from + i] = 2 * row[i] + sum / 64;
#endif
}
