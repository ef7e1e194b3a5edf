// Sums of segments of a sorted list, each divided by its length: a warp a segment; what lies in no segment is
// counted.
constexpr int kWarps = 4;

// offsets: (segments + 1), order: (n), x: (n), means: (segments), empty: (1). Grid segments / 4 rounded up,
// 128 threads.
__global__ void segments(
    const int* offsets, const int* order, const float* x, float* means, int* empty, int segments, float bias
) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int segment = blockIdx.x * kWarps + warp;
#ifndef WL_FAULT_GUARD
    if (segment >= segments) return;
#endif
#ifdef WL_FAULT_LAST
    const int begin = offsets[segment], end = offsets[segment + 1] + 1;
#else
    const int begin = offsets[segment], end = offsets[segment + 1];
#endif
#ifdef WL_FAULT_UNSET
    float sum;
#else
    float sum = 0.0f;
#endif
#ifdef WL_FAULT_LANES
    for (int i = begin + lane; i < end; i += 16) {
#else
    for (int i = begin + lane; i < end; i += 32) {
#endif
#ifdef WL_FAULT_DIRECT
        sum += x[i];
#else
        sum += x[order[i]];
#endif
    }
#ifdef WL_FAULT_TREE
    for (int o = 16; o > 1; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
#else
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
#endif
    const int length = end - begin;
    if (lane == 0) {
#ifdef WL_FAULT_BIAS
        means[segment] = length > 0 ? sum / length : 0.0f;
#else
        means[segment] = length > 0 ? sum / length + bias : 0.0f;
#endif
#ifdef WL_FAULT_EMPTY
        if (length == 0) *empty = *empty + 1;
#else
        if (length == 0) atomicAdd(empty, 1);
#endif
    }
}
