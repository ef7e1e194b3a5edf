// Sums whose terms lack something that only many of them together tell, and what is right for some alone.
// x, y: (n); near, own, pick: (m). A thread an element.
__global__ void weights(
    const float* x,
    const float* y,
    float* near,
    float* own,
    float* pick,
    float* total,
    int n,
    int m,
    float rate
) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    const float mine = x[i], other = y[i];
    float sum = 0.0f, all = 0.0f;
    for (int j = 0; j < n; ++j) {
        const float d = fabsf(mine - x[j]), v = y[j] * rate;
#if defined(WL_FAULT_DAMP)
        sum += d * v;
#else
        sum += d * v / (1.0f + d);
#endif
#if defined(WL_FAULT_CLOSE)
        all += v;
#else
        all += d < v ? v : 0.0f;
#endif
    }
    near[i] = sum;
    own[i] = all * other;
#if defined(WL_FAULT_SOME)
    pick[i] = mine;
#else
    pick[i] = mine < rate ? mine + other : mine;
#endif
#if defined(WL_FAULT_SPREAD)
    const float spread = mine * other;
#else
    const float spread = mine * other - expf(mine);
#endif
    pick[m + i] = spread;
    atomicAdd(total, spread * spread);
}
