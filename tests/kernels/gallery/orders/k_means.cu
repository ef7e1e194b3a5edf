// A step of k-means: each point to its nearest centre; sums and counts of the centres in shared memory first.
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr int kThreads = 128, kMost = 256, kCentres = 16;

__device__ int nearest_of(
    const float* points, int p, const float* own, int count, int dims, float* distance
) {
#ifdef WL_FAULT_LEAST
    float least = 0.0f;
#else
    float least = CUDART_INF_F;
#endif
    int best = 0;
    for (int c = 0; c < count; ++c) {
        float far = 0.0f;
        for (int d = 0; d < dims; ++d) {
#ifdef WL_FAULT_CENTRE
            const float gap = points[p * dims + d] - own[c * count + d];
#else
            const float gap = points[p * dims + d] - own[c * dims + d];
#endif
#ifdef WL_FAULT_SET
            far = gap * gap;
#else
            far += gap * gap;
#endif
        }
        if (far < least) {
            least = far;
#ifndef WL_FAULT_BEST
            best = c;
#endif
        }
    }
    *distance = least;
    return best;
}

// points: (n, dims), centres, sums: (count, dims), nearest: (n), counts: (count), error: (1); count * dims <=
// 256. Any grid, 128 threads.
__global__ void k_means(
    const float* points,
    const float* centres,
    int* nearest,
    float* sums,
    int* counts,
    float* error,
    int n,
    int count,
    int dims
) {
    __shared__ float own[kMost], total[kMost];
    __shared__ int members[kCentres];
    __shared__ float parts[kThreads / 32];
    const int t = threadIdx.x;
    for (int i = t; i < count * dims; i += kThreads) {
        own[i] = centres[i];
#ifndef WL_FAULT_ZERO
        total[i] = 0.0f;
#endif
    }
    if (t < count) members[t] = 0;
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    float errors = 0.0f;
    for (int p = blockIdx.x * kThreads + t; p < n; p += gridDim.x * kThreads) {
        float least;
        const int best = nearest_of(points, p, own, count, dims, &least);
        nearest[p] = best;
        WL_LANES("least", least);
        errors += least;
#ifdef WL_FAULT_MEMBERS
        members[best] += 1;
#else
        atomicAdd(&members[best], 1);
#endif
#ifdef WL_FAULT_POINT
        for (int d = 0; d < dims; ++d) atomicAdd(&total[best * dims + d], points[p + d]);
#else
        for (int d = 0; d < dims; ++d) atomicAdd(&total[best * dims + d], points[p * dims + d]);
#endif
    }
    for (int o = 16; o > 0; o /= 2) errors += __shfl_down_sync(0xffffffff, errors, o);
#ifdef WL_FAULT_PARTS
    if (t / 32 == 0) parts[t % 4] = errors;
#else
    if (t % 32 == 0) parts[t / 32] = errors;
#endif
    __syncthreads();
    if (t == 0) {
#ifdef WL_FAULT_WARPS
        for (int w = 1; w < kThreads / 64; ++w) errors += parts[w];
#else
        for (int w = 1; w < kThreads / 32; ++w) errors += parts[w];
#endif
        atomicAdd(error, errors);
    }
    for (int i = t; i < count * dims; i += kThreads) atomicAdd(&sums[i], total[i]);
    if (t < count) atomicAdd(&counts[t], members[t]);
}
