// Rows are summed as far as each is long, a thread four of them, and written as columns: wrong elements that
// depend on other inputs than their references do.
__global__ void rows(const float* x, const int* length, float* sums, float* turned, int cols) {
    constexpr int kRows = 16, kEach = 4;
    __shared__ float tile[kRows][33];
    for (int k = threadIdx.x; k < kRows * cols; k += blockDim.x) tile[k / cols][k % cols] = x[k];
    __syncthreads();
#if defined(WL_FAULT_CARRIED)
    float sum = 0.0f;
#endif
    for (int row = threadIdx.x * kEach; row < (threadIdx.x + 1) * kEach; ++row) {
#if !defined(WL_FAULT_CARRIED)
        float sum = 0.0f;
#endif
#if defined(WL_FAULT_EARLY)
        for (int c = 0; c < length[row] - 1; ++c) sum += x[row * cols + c];
#elif defined(WL_FAULT_PADDING)
        for (int c = 0; c < cols; ++c) sum += x[row * cols + c];
#elif defined(WL_FAULT_PACKED)
        for (int c = 0; c < length[row]; ++c) sum += x[row * length[row] + c];
#else
        for (int c = 0; c < length[row]; ++c) sum += x[row * cols + c];
#endif
        sums[row] = sum;
    }
    for (int k = threadIdx.x; k < kRows * cols; k += blockDim.x) {
        const int row = k % kRows, c = k / kRows;
#if defined(WL_FAULT_BESIDE)
        turned[k] = tile[row][c ^ 1];
#elif defined(WL_FAULT_LOST)
        turned[k] = row == 5 ? 0.0f : tile[row][c];
#elif defined(WL_FAULT_FACTOR)
        turned[k] = tile[row][c] * (1 + c);
#else
        turned[k] = tile[row][c];
#endif
    }
}
