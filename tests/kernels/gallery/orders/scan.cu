// Exclusive running sums of each segment and its total, after Hillis and Steele: a block a segment of at most
// 256 elements, two buffers that change places.

constexpr int kThreads = 256;

// x, y: (segments, length), totals: (segments). Grid (segments), 256 threads.
__global__ void scan(const int* x, int* y, int* totals, int length) {
#ifdef WL_FAULT_NARROW
    __shared__ signed char sums[2][kThreads];
#else
    __shared__ int sums[2][kThreads];
#endif
    const int t = threadIdx.x;
#ifdef WL_FAULT_AT
    const size_t at = size_t(blockIdx.x) * blockDim.x + t;
#else
    const size_t at = size_t(blockIdx.x) * length + t;
#endif
    int in = 0;
#ifdef WL_FAULT_TAIL
    if (t < length) sums[in][t] = x[at];
#else
    sums[in][t] = t < length ? x[at] : 0;
#endif
    __syncthreads();
#ifdef WL_FAULT_LAST
    for (int offset = 1; offset < kThreads / 2; offset *= 2)
#else
    for (int offset = 1; offset < kThreads; offset *= 2)
#endif
    {
#ifdef WL_FAULT_FLIP
        const int out = in;
#else
        const int out = 1 - in;
#endif
#if defined(WL_FAULT_OWN)
        sums[out][t] = sums[in][t] + sums[in][t >= offset ? t - offset : t];
#elif defined(WL_FAULT_REACH)
        sums[out][t] = sums[in][t] + (t > offset ? sums[in][t - offset] : 0);
#else
        sums[out][t] = sums[in][t] + (t >= offset ? sums[in][t - offset] : 0);
#endif
        in = out;
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
#ifdef WL_FAULT_INCLUSIVE
    if (t < length) y[at] = sums[in][t];
#else
    if (t < length) y[at] = t > 0 ? sums[in][t - 1] : 0;
#endif
    if (t == 0) totals[blockIdx.x] = sums[in][kThreads - 1];
}
