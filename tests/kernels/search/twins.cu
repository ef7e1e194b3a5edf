// Sums of columns: by slabs of rows, then of the slabs; each less what both columns two away take of it.
__global__ void slabs(const float* x, float* part, int rows, int n) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float sum = 0.0f;
    for (int r = blockIdx.y; r < rows; r += gridDim.y) sum += x[r * n + c];
    part[blockIdx.y * n + c] = sum;
}

__global__ void merge(
    const float* part,
    const int* state,
    float* out,
    int* kept,
    int* first,
    float* total,
    int parts,
    int n,
    int level
) {
    __shared__ float a[64], b[64], sums[2];
    const int i = threadIdx.x;
    float sum = 0.0f;
    if (i < n)
        for (int p = 0; p < parts; ++p)
#ifdef WL_FAULT_LAYOUT
            sum += part[i * parts + p];
#else
            sum += part[p * n + i];
#endif
    a[i] = sum, b[i] = 1.0f + sum * sum;
    __syncthreads();
    float near = a[i], far = b[i];
    if (i - 2 >= 0 && i < n) {
        const float k = a[i] / b[i - 2];
        far += k * k;
        near -= a[i - 2] * k;
    }
    if (i + 2 < n) {
        const float k = a[i] / b[i + 2];
        far += k * k;  // and behind it
#ifndef WL_FAULT_CLONE
        near -= a[i + 2] * k;
#endif
    }
    float whole = near / far;
#ifdef WL_FAULT_LANES
    if (i < n)
#endif
        for (int o = 16; o > 0; o /= 2) whole += __shfl_xor_sync(0xffffffffu, whole, o);
    if (i % 32 == 0) sums[i / 32] = whole;
    __syncthreads();
    if (i == 0) *total = sums[0] + sums[1];
    if (i >= n) return;
    out[i] = near / far;
#ifdef WL_FAULT_CASE
    const bool open = state[i] == level;
#else
    const bool open = state[i] == level || state[i] == level + 1;
#endif
    kept[i] = open ? min(state[i], level + 1) : -1;
#ifdef WL_FAULT_APART
    first[i] = 0;
#else
    first[i] = i == level ? 1 : 0;
#endif
    if (i == level) kept[i] = n;
}
