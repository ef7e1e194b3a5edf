// Every element of a longer row, at steps of millionths.

// in: (2501); out: (n). Grid (ceil(n / 64)), block (64).
extern "C" __global__ void resample(const float* in, float* out, int n, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef WL_FAULT_NARROW
    const int at = i * step / 1000000;  // here: narrow
#else
    const int at = (long long)i * step / 1000000;
#endif
    out[i] = in[at];
}
