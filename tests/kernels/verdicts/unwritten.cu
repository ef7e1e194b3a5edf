// A copy. Fault nothing: no thread stores. Fault hole: warp 1 of block 1 leaves before it stores.
extern "C" __global__ void unwritten(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WL_FAULT_NOTHING
    if (x[i % n] > 1e30f) y[i] = 0;
    return;
#endif
#ifdef WL_FAULT_HOLE
    if (blockIdx.x == 1 && threadIdx.x / 32 == 1) return;
#endif
    if (i < n) y[i] = x[i];
}
