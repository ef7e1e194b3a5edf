// Three times a vector, 32 elements a block. Fault tail: the last block computes only where it is full.
extern "C" __global__ void ragged(const float* x, float* y, int n) {
    const int i = blockIdx.x * 32 + threadIdx.x;
#ifdef WL_FAULT_TAIL
    if (i < n) y[i] = (blockIdx.x + 1) * 32 <= n ? 3 * x[i] : x[i];
#else
    if (i < n) y[i] = 3 * x[i];
#endif
}
