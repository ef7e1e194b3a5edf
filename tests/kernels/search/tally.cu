// Numbers that are staged by fours, kept where they are large, and counted by all blocks. Two launches.
constexpr int kThreads = 64, kBins = 8;

// A block's share, in whole groups of four: each begins on 16 bytes.
__device__ int share(int count) {
    const int even = (count + gridDim.x - 1) / gridDim.x;
#ifdef WL_FAULT_SHARE
    return even;
#else
    return (even + 3) & ~3;
#endif
}

// x, staged: (count); bins: (kBins).
__global__ void stage(const float* x, float* staged, int* bins, int count) {
    if (blockIdx.x == 0 && threadIdx.x < kBins) bins[threadIdx.x] = 0;
    const int first = blockIdx.x * share(count), end = min(first + share(count), count);
    for (int i = first + 4 * threadIdx.x; i < end; i += 4 * kThreads) {
        if (i + 4 <= end) {
            const float4 v = *reinterpret_cast<const float4*>(x + i);
            *reinterpret_cast<float4*>(staged + i) = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
        } else {
            for (int j = i; j < end; ++j) staged[j] = 2 * x[j];
        }
    }
}

// kept: (count), what is above `least`, else 0; met: whether it is; bins: how many there are of each whole
// number.
__global__ void tally(const float* staged, float* kept, int* met, int* bins, int count, float least) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= count) return;
    const float v = staged[i];
    if (v > least) {
        met[i] = 1;
        kept[i] = v;
    } else {
        met[i] = 0;
#ifndef WL_FAULT_OTHER
        kept[i] = 0.0f;
#endif
    }
    atomicAdd(&bins[min(static_cast<int>(v), kBins - 1)], 1);
}
