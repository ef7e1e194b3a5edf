// Counts elements by bins of equal width; what lies outside counts for the first or the last bin.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

// x: (n), bins: (count). Blocks of 128; shared: one counter a bin.
__global__ void histogram(const float* x, unsigned* bins, int n, int count, float low, float high) {
    extern __shared__ unsigned mine[];
#if defined(WL_FAULT_CLEAR)
#elif defined(WL_FAULT_ONE)
    for (int b = threadIdx.x; b < count; b += blockDim.x) mine[b] = 1;
#else
    for (int b = threadIdx.x; b < count; b += blockDim.x) mine[b] = 0;
#endif
#ifndef WL_FAULT_BEGIN
    __syncthreads();
#endif
#ifdef WL_FAULT_WHOLE
    const int scale = count / (high - low);
#else
    const float scale = count / (high - low);
#endif
#if defined(WL_FAULT_STRIDE)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
#elif defined(WL_FAULT_LAST)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += gridDim.x * blockDim.x)
#else
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#endif
    {
#ifdef WL_FAULT_CENTRE
        const int b = floorf(x[i] * scale);
#else
        const int b = floorf((x[i] - low) * scale);
#endif
#if defined(WL_FAULT_OWN)
        atomicAdd(&mine[threadIdx.x % count], 1u);
#elif defined(WL_FAULT_CLAMP)
        atomicAdd(&mine[max(b, 0)], 1u);
#else
        atomicAdd(&mine[min(max(b, 0), count - 1)], 1u);
#endif
    }
    __syncthreads();
    WL_TILE("mine", mine, 1, count, count);
    for (int b = threadIdx.x; b < count; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}
