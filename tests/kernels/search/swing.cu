// A row smoothed again and again, between two buffers.
constexpr int kRow = 128, kThreads = 64;

// x, y: (rows, kRow). A block a row.
__global__ void swing(const float* __restrict__ x, float* __restrict__ y, int turns, float most) {
    __shared__ float both[2 * kRow];
    float* now = both;
#ifdef WL_FAULT_ALIAS
    float* next = both;
#else
    float* next = both + kRow;
#endif
    for (int i = threadIdx.x; i < kRow; i += kThreads) now[i] = x[blockIdx.x * kRow + i];
    __syncthreads();

    for (int turn = 0; turn < turns; ++turn) {
        for (int i = threadIdx.x; i < kRow; i += kThreads) {
            const int left = i > 0 ? i - 1 : 0;
            const int right = i + 1 < kRow ? i + 1 : kRow - 1;
            const float sides = now[left] + now[right];
            const float own = now[i];
            const float mean = 0.25f * sides + 0.5f * own;

            next[i] = mean > most ? most : mean;
        }
        float* const other = now;
        now = next;
        next = other;
#ifndef WL_FAULT_TURN
        __syncthreads();
#endif
    }
    for (int i = threadIdx.x; i < kRow; i += kThreads) y[blockIdx.x * kRow + i] = now[i];
}
