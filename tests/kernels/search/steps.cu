// A row smoothed again and again where it lies: all have read before the first one writes.
constexpr int kThreads = 128;

// x, y: (rows, n), n at most kThreads. A block a row.
__global__ void steps(const float* x, float* y, int n, int turns) {
    __shared__ float row[kThreads];
    const int t = threadIdx.x, at = blockIdx.x * n + t;
    const bool mine = t < n;
    if (mine) row[t] = x[at];
    __syncthreads();
    for (int turn = 0; turn < turns; ++turn) {
        float mean = 0.0f;
        if (mine) mean = 0.5f * (row[max(t - 1, 0)] + row[min(t + 1, n - 1)]);
        __syncthreads();
        if (mine) {
            row[t] = mean;
#ifdef WL_FAULT_INSIDE
            __syncthreads();  // of those alone that write
        }
#else
        }
        __syncthreads();
#endif
    }
    if (mine) y[at] = row[t];
}
