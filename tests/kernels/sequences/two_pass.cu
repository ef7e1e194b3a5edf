// A sum in two launches: every block sums its part, then one block the parts.
__global__ void part(const float* x, float* parts, int n) {
    __shared__ float s[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
#if defined(WL_FAULT_TWICE)
    if (t == 0) parts[blockIdx.x] = blockIdx.x == 2 ? 2.0f * s[0] : s[0];
#elif defined(WL_FAULT_MISSING)
    if (t == 0 && blockIdx.x + 1 < gridDim.x) parts[blockIdx.x] = s[0];
#else
    if (t == 0) parts[blockIdx.x] = s[0];
#endif
}

__global__ void finish(const float* parts, float* total, int count) {
    __shared__ float s[32];
    const int t = threadIdx.x;
#if defined(WL_FAULT_SHORT)
    s[t] = t + 1 < count ? parts[t] : 0.0f;
#else
    s[t] = t < count ? parts[t] : 0.0f;
#endif
#if !defined(WL_FAULT_RACE)
    __syncthreads();
#endif
    if (t == 0) {
        float sum = 0.0f;
        for (int i = 0; i < count; ++i) sum += s[i];
        *total = sum;
    }
}
