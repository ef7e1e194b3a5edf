// Sums of points by group, in two launches: what the second one does not add to still holds the first one's
// zero.
constexpr int kDim = 4;

__global__ void clear(float* sums, int groups) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < groups * kDim) sums[i] = 0.0f;
}

__global__ void add(const float* points, const int* group, float* sums, int count, int groups) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
#if defined(WL_FAULT_STRIDE)
    float* to = sums + group[i] * groups;
#else
    float* to = sums + group[i] * kDim;
#endif
    for (int d = 0; d < kDim; ++d) atomicAdd(to + d, points[i * kDim + d]);
}
