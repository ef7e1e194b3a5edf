// One pass of a radix sort, stable within each block's keys: threads own runs of keys, count their digits,
// find the places of their counts by a running sum over digits and threads, and move their keys.

constexpr int kThreads = 64, kDigits = 16;

// keys, out: (blocks, n), starts: (blocks, 16). Grid (blocks), 64 threads.
__global__ void radix(const unsigned* keys, unsigned* out, int* starts, int n, int shift) {
#ifdef WL_FAULT_NARROW
    __shared__ signed char counts[kDigits][kThreads + 1];
#else
    __shared__ int counts[kDigits][kThreads + 1];
#endif
#ifdef WL_FAULT_EACH
    const int t = threadIdx.x, each = n / kThreads;
#else
    const int t = threadIdx.x, each = (n + kThreads - 1) / kThreads;
#endif
    const int begin = min(n, t * each), end = min(n, begin + each);
    keys += blockIdx.x * n;
    out += blockIdx.x * n;
#ifdef WL_FAULT_CLEAR
    for (int d = 1; d < kDigits; ++d) counts[d][t] = 0;
#else
    for (int d = 0; d < kDigits; ++d) counts[d][t] = 0;
#endif
#ifdef WL_FAULT_DIGIT
    for (int i = begin; i < end; ++i) counts[keys[i] >> shift & 7][t] += 1;
#else
    for (int i = begin; i < end; ++i) counts[keys[i] >> shift & 15][t] += 1;
#endif
#ifndef WL_FAULT_COUNTED
    __syncthreads();
#endif
    if (t < kDigits)
        for (int k = 0, sum = 0; k <= kThreads; ++k) {
            const int own = k < kThreads ? counts[t][k] : 0;
#ifdef WL_FAULT_INCLUSIVE
            counts[t][k] = sum + own;
#else
            counts[t][k] = sum;
#endif
            sum += own;
        }
    __syncthreads();
    for (int i = begin; i < end; ++i) {
        const int d = keys[i] >> shift & 15;
#ifdef WL_FAULT_STAY
        int place = counts[d][t];
#else
        int place = counts[d][t]++;
#endif
#if defined(WL_FAULT_LOWEST)
        for (int lower = 1; lower < d; ++lower) place += counts[lower][kThreads];
#elif defined(WL_FAULT_MINE)
        for (int lower = 0; lower < d; ++lower) place += counts[lower][t];
#else
        for (int lower = 0; lower < d; ++lower) place += counts[lower][kThreads];
#endif
        out[place] = keys[i];
    }
    if (t < kDigits) {
        int start = 0;
        for (int lower = 0; lower < t; ++lower) start += counts[lower][kThreads];
        starts[blockIdx.x * kDigits + t] = start;
    }
}
