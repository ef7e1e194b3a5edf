// The logarithm of a sum of exponents, and each number less it.
extern "C" __global__ void summed(const float* x, float* whole, int n) {
    const int lane = threadIdx.x;
    float most = -1e30f, sum = 0.0f;
    for (int i = lane; i < n; i += 32) most = fmaxf(most, x[i]);
    for (int o = 16; o > 0; o /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
    for (int i = lane; i < n; i += 32) sum += expf(x[i] - most);  // as well: x
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
#ifdef WL_FAULT_PEAK
    if (lane == 0) whole[0] = logf(sum);  // here: peak
#else
    if (lane == 0) whole[0] = most + logf(sum);
#endif
}

extern "C" __global__ void summed_less(const float* x, const float* whole, float* less, int n) {
#ifdef WL_FAULT_LESS
    for (int i = threadIdx.x; i < n; i += 32) less[i] = x[i] + whole[0];  // here: less
#else
    for (int i = threadIdx.x; i < n; i += 32) less[i] = x[i] - whole[0];
#endif
#ifdef WL_FAULT_THIRD
    const float third = n > 3 ? 1.0f : 0.0f;  // as well: third
    if (threadIdx.x == 3 && third > 0.0f) {
        less[3] = third;  // here: third
    }
#endif
}
