// Smoothing in place: two buffers that change places, then one scaling over what is there.
__global__ void smooth(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float left = from[i > 0 ? i - 1 : 0], right = from[i < n - 1 ? i + 1 : i];
    to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
}

__global__ void scale(float* a, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(WL_FAULT_OFFSET)
    if (i < n) a[i] = a[i] * factor + 1.0f;
#else
    if (i < n) a[i] *= factor;
#endif
}
