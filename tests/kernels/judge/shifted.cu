// Elements with two terms: one is the same everywhere, the other one is not.

extern "C" __global__ void shifted(
    const float* x, const float* shift, const float* other, float* out, int n
) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#if defined(WL_FAULT_SHIFT)
    out[i] = x[i] + other[i];  // here: shift
#elif defined(WL_FAULT_OTHER)
    out[i] = x[i] + shift[i];  // here: other
#else
    out[i] = x[i] + shift[i] + other[i];
#endif
}
