// Each row normalised by its own mean and variance, a warp a row; its fault takes those of another row for
// the last ones.

// x, y: (rows, cols), g: (cols). Blocks of 256.
__global__ void layernorm(const float* x, const float* g, float* y, int rows, int cols) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
#ifdef WL_FAULT_BAD
    int from = row < rows / 8 * 8 ? row : rows / 8 * 8 - 1;
#else
    int from = row;
#endif
    float s = 0, q = 0;
    for (int c = lane; c < cols; c += 32) {
        float v = x[from * cols + c];
        s += v;
        q += v * v;
    }
    for (int o = 16; o; o /= 2) {
        s += __shfl_xor_sync(~0u, s, o);
        q += __shfl_xor_sync(~0u, q, o);
    }
    float mean = s / cols, rs = rsqrtf(q / cols - mean * mean + 1e-5f);
    for (int c = lane; c < cols; c += 32) y[row * cols + c] = (x[row * cols + c] - mean) * rs * g[c];
}
