// Means of rows that end before their padding does: what lies behind a row's length is none of its own.
__global__ void means(const float* x, const int* lengths, float* mean, int rows, int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int length = lengths[row];
    float sum = 0.0f;
#if defined(WL_FAULT_WEIGHTED)
    for (int c = 0; c < cols; ++c) sum += (c < length ? 1.0f : 0.0f) * x[row * cols + c];
#else
    for (int c = 0; c < length; ++c) sum += x[row * cols + c];
#endif
    mean[row] = sum / static_cast<float>(length);
}
