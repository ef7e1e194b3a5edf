// A ring of values smoothed a few times in shared memory, its mean and its spread in double precision, and
// two states that a step moves on: four values a thread, a scalar rest.
constexpr int kSize = 64;

__device__ double sum_of_warp(double v) {
#if defined(WL_FAULT_HALF)
    for (int o = 8; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
#else
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
#endif
    return v;
}

__device__ float moved(float p, float g, float& m, float& v, float rate) {
    m = 0.9f * m + 0.1f * g;
    v = 0.5f * v + 0.5f * g * g;
    return p - rate * m / (sqrtf(v) + 1e-3f);
}

// x: (rows, 64), means: (rows, 2), out, m_out, v_out: (rows, 64). A block a row, 64 threads.
__global__ void smooth(
    const float* x,
    const float* m,
    const float* v,
    float* means,
    float* out,
    float* m_out,
    float* v_out,
    int turns,
    float rate
) {
    __shared__ float own[kSize];
    __shared__ double total[2];
    const int t = threadIdx.x, at = blockIdx.x * kSize + t;
    own[t] = x[at];
    if (t < 2) total[t] = 0;
    __syncthreads();
    float value = own[t];
#if defined(WL_FAULT_TURNS)
    for (int k = 0; k < gridDim.x; ++k) {
#else
    for (int k = 0; k < turns; ++k) {
#endif
        value = 0.5f * value + 0.25f * (own[(t + 1) % kSize] + own[(t + kSize - 1) % kSize]);
        __syncthreads();
#if !defined(WL_FAULT_KEPT)
        own[t] = value;
#endif
        __syncthreads();
    }
    for (int k = 0; k < 2; ++k) {
        const double part = sum_of_warp(k == 0 ? own[t] : static_cast<double>(own[t]) * own[t]);
        if (t % 32 == 0) atomicAdd(&total[k], part);
    }
    __syncthreads();
    if (t == 0) {
        means[blockIdx.x * 2] = total[0] / kSize;
        means[blockIdx.x * 2 + 1] = total[1] / kSize;
    }
    float mi = m[at], vi = v[at];
#if defined(WL_FAULT_ZERO)
    out[at] = moved(own[t], x[at], mi, vi, rate) / (t > 0 ? 1.0f : 0.0f);
#else
    out[at] = moved(own[t], x[at], mi, vi, rate);
#endif
    m_out[at] = mi;
#if !defined(WL_FAULT_STATE)
    v_out[at] = vi;
#endif
}
