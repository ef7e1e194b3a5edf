// Twice a matrix of 77 rows and 100 columns. Fault first: only its first row, the others stay as they came.
extern "C" __global__ void rows(const float* x, float* y) {
    const int i = blockIdx.x * 100 + threadIdx.x;
#ifdef WL_FAULT_FIRST
    y[i] = blockIdx.x == 0 ? 2 * x[i] : x[i];
#else
    y[i] = 2 * x[i];
#endif
}
