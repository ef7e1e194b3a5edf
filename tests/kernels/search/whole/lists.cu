// Sums of lists, one a block, some of which are empty: with the right list a block may have nothing to do.
constexpr int kLongest = 8;

__device__ float weighted(const float* values, int j) {
    const float v = values[j];
    return v * (j + 1);
}

__global__ void sums(const float* values, const int* lengths, float* out) {
#if defined(WL_FAULT_LIST)
    const int list = blockIdx.y * gridDim.y + blockIdx.x;
#else
    const int list = blockIdx.y * gridDim.x + blockIdx.x;
#endif
    const int length = lengths[list];
    float sum = 0.0f;
    for (int j = 0; j < length; ++j) sum += weighted(values + list * kLongest, j);
    out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum * threadIdx.x;
}
