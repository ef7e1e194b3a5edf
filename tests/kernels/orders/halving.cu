// Eight lanes add up their values by halves, in a grid that could synchronise. Lanes 4 to 7 read others that
// take no part; what they get is never used.

// in: (blocks, 8), out: (blocks). Grid (blocks), block (32).
extern "C" __global__ void halving(const float* in, float* out, int blocks) {
    const int t = threadIdx.x;
    if (t >= 8) return;
    float value = in[blockIdx.x * 8 + t];
    for (int half = 4; half > 0; half /= 2) value += __shfl_down_sync(0xff, value, half);
#ifdef WL_FAULT_LATER
    if (t == 5) out[blockIdx.x] = value;  // lane 5 has none of that
#else
    if (t == 0) out[blockIdx.x] = value;
#endif
}
