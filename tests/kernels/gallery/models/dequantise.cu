// y = W x, W in four bits: eight weights a word, a scale and a zero for each 32 along k. A warp a row; x is
// copied to shared memory in the background.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kMostK = 512, kGroup = 32;

// x: (k), packed: (n, k / 8), scales, zeros: (n, k / 32), y: (n); k a multiple of 32, at most 512.
// Grid (ceil(n / 4)), block (32, 4).
__global__ void dequantise(
    const half* x,
    const unsigned* packed,
    const half* scales,
    const unsigned char* zeros,
    float* y,
    int n,
    int k
) {
    __shared__ __align__(16) half xs[kMostK];
    const int lane = threadIdx.x, row = blockIdx.x * 4 + threadIdx.y, t = threadIdx.y * 32 + lane;
#if defined(WL_FAULT_WARP)
    if (t * 8 < k && threadIdx.y == 0) __pipeline_memcpy_async(xs + t * 8, x + t * 8, 16);
#elif defined(WL_FAULT_THREE)
    if (t * 8 < k) __pipeline_memcpy_async(xs + t * 8, x + t * 8 + 4, 16);
#else
    if (t * 8 < k) __pipeline_memcpy_async(xs + t * 8, x + t * 8, 16);
#endif
    __pipeline_commit();
#ifndef WL_FAULT_WAIT
    __pipeline_wait_prior(0);
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    WL_TILE("x", xs, 1, k, k);
    if (row >= n) return;
#ifdef WL_FAULT_HALF
    half sum = 0.0f;
#else
    float sum = 0.0f;
#endif
#ifdef WL_FAULT_REACH
    for (int word = lane; word < k / 8 - 1; word += 32)
#else
    for (int word = lane; word < k / 8; word += 32)
#endif
    {
        const unsigned w = packed[row * (k / 8) + word];
#if defined(WL_FAULT_GROUP)
        const int group = row * (k / 8) + word * 8 / kGroup;
#elif defined(WL_FAULT_QUARTER)
        const int group = row * (k / kGroup) + word / kGroup * 8;
#else
        const int group = row * (k / kGroup) + word * 8 / kGroup;
#endif
        const float scale = __half2float(scales[group]), zero = zeros[group];
        for (int j = 0; j < 8; ++j) {
#if defined(WL_FAULT_BITS)
            const float weight = static_cast<int>(w >> 4 * j & 7) - zero;
#elif defined(WL_FAULT_ZERO)
            const float weight = static_cast<int>(w >> 4 * j & 15);
#else
            const float weight = static_cast<int>(w >> 4 * j & 15) - zero;
#endif
#if defined(WL_FAULT_SCALE)
            sum += weight * __half2float(xs[word * 8 + j]);
#elif defined(WL_FAULT_ORDER)
            sum += weight * scale * __half2float(xs[word * 8 + 7 - j]);
#else
            sum += weight * scale * __half2float(xs[word * 8 + j]);
#endif
        }
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
    if (lane == 0) y[row] = sum;
}
