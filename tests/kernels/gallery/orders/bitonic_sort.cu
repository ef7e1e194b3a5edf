// Sorts each row of at most 256 keys and says where they came from: a bitonic network in shared memory.
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kSize = 256;

// keys, sorted, order: (rows, cols). Grid (rows), 128 threads, a pair each.
__global__ void bitonic_sort(const float* keys, float* sorted, int* order, int cols) {
    __shared__ float key[kSize];
    __shared__ int from[kSize];
    for (int i = threadIdx.x; i < kSize; i += blockDim.x) {
#if defined(WL_FAULT_PAD)
        key[i] = i < cols ? keys[blockIdx.x * cols + i] : 0.0f;
#elif defined(WL_FAULT_BARE)
        key[i] = keys[blockIdx.x * cols + i];
#else
        key[i] = i < cols ? keys[blockIdx.x * cols + i] : CUDART_INF_F;
#endif
#ifdef WL_FAULT_ORIGIN
        from[i] = threadIdx.x;
#else
        from[i] = i;
#endif
    }
#ifdef WL_FAULT_WHOLE
    for (int length = 2; length < kSize; length *= 2)
#else
    for (int length = 2; length <= kSize; length *= 2)
#endif
        for (int apart = length / 2; apart > 0; apart /= 2) {
#ifndef WL_FAULT_SYNC
            __syncthreads();
#endif
#ifdef WL_FAULT_PAIR
            const int i = 2 * threadIdx.x - (threadIdx.x & apart), j = i + apart;
#else
            const int i = 2 * threadIdx.x - (threadIdx.x & (apart - 1)), j = i + apart;
#endif
#ifdef WL_FAULT_DIRECTION
            const bool up = (i & apart) == 0;
#else
            const bool up = (i & length) == 0;
#endif
#ifdef WL_FAULT_DOWN
            if ((key[i] < key[j]) == up)
#else
            if ((key[i] > key[j]) == up)
#endif
            {
                const float k = key[i];
                const int f = from[i];
                key[i] = key[j];
                key[j] = k;
#ifndef WL_FAULT_LOST
                from[i] = from[j];
#endif
                from[j] = f;
            }
        }
    __syncthreads();
    WL_TILE("sorted", key, 1, cols, kSize);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        sorted[blockIdx.x * cols + i] = key[i];
        order[blockIdx.x * cols + i] = from[i];
    }
}
