// A row turned around, over the number of its elements.

__device__ float mirrored(const float* x, int end, int i, int other) {
    if (i >= other + end) return 0.0f;
    return x[end - 1 - i];  // as well: other
}

// x: (2 N); out: (N). Grid (ceil(N / 64)), block (64).
extern "C" __global__ void turned(const float* x, float* out, int n, int m, int twice) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if defined(WL_FAULT_ROW)
    out[i] = mirrored(x, m, i, twice) / 64;  // here: row
#elif defined(WL_FAULT_END)
    out[i] = mirrored(x, m, i, twice) / n;  // here: end
#else
    out[i] = mirrored(x, n, i, twice) / n;
#endif
}
