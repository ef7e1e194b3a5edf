// Two shared arrays, one after the other: several barriers missing at once, and places where none may stand.

// in, out: (64). One block of 64 threads. `rounds` is 3.
extern "C" __global__ void order(const float* in, float* out, int rounds) {
    __shared__ float a[64], b[64], c[32];
    const int i = threadIdx.x;
    a[i] = in[i];
#if !defined(WL_FAULT_TWO) && !defined(WL_FAULT_MIXED)
    __syncthreads();
#endif
    b[i] = 2 * a[63 - i];
#ifndef WL_FAULT_TWO
    __syncthreads();
#endif
    float value = b[(i + 32) % 64];
#ifndef WL_FAULT_BRANCH
    __syncthreads();
#endif
    if (i < 32)
        for (int round = 0; round < rounds; ++round) b[i] += round;
#ifdef WL_FAULT_MIXED
    c[i % 32] = value;
#else
    if (i < 32) c[i] = value;
#endif
    __syncthreads();
    out[i] = value + b[i] + c[i % 32];
}
