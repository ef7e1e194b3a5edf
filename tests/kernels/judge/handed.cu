// Each thread takes what its mirror image puts in shared memory.

extern "C" __global__ void handed(const float* x, float* out) {
    __shared__ float held[64];
    const int t = threadIdx.x;
    held[t] = 0;
    __syncthreads();
    held[t] = x[t];
#if !defined(WL_FAULT_RACE) && !defined(WL_FAULT_BOTH)
    __syncthreads();
#endif
    float v = held[63 - t];  // here: race
#ifdef WL_FAULT_BOTH
    if (x[0] < 0) v += 1;
#endif
    out[t] = v;
}
