// Two arrays of shared memory that lie side by side, and structs that are copied with their padding.

struct Pair {
    int number;
    short half;
};

// in, out: (blocks, 64), copies: (blocks, 64, 2). Grid (blocks), block (64).
extern "C" __global__ void halves(const int* in, int* out, Pair* copies) {
    __shared__ int low[64];
    __shared__ int high[64];
    __shared__ Pair pairs[64];
    const int i = threadIdx.x, at = blockIdx.x * 64 + i;
    low[i] = in[at];
    high[i] = -in[at];
    pairs[i].number = in[at];
    pairs[i].half = static_cast<short>(in[at]);
    __syncthreads();
    copies[at] = pairs[63 - i];
#ifdef WL_FAULT_BEHIND
    int value = low[i + 1];  // here: behind
#else
    int value = low[(i + 1) % 64];
#endif
#ifdef WL_FAULT_BEFORE
    value += high[i - 1];  // here: before
#else
    value += high[(i + 63) % 64];
#endif
    out[at] = value + copies[at].half;
}
