// Moves the elements above a threshold to the front of their segment, in their order: ballots within warps,
// and places of the warps through shared memory.

constexpr int kThreads = 128, kWarps = kThreads / 32;

// x, kept: (segments, length), counts: (segments). Grid (segments), 128 threads.
__global__ void compaction(const float* x, float* kept, int* counts, int length, float threshold) {
    __shared__ int of_warp[kWarps];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const float* in = x + blockIdx.x * length;
    float* out = kept + blockIdx.x * length;
#ifdef WL_FAULT_FRONT
    int done = 1;
#else
    int done = 0;
#endif
    for (int begin = 0; begin < length; begin += kThreads) {
        const int i = begin + t;
#if defined(WL_FAULT_BOUND)
        const bool keep = in[i] > threshold;
#elif defined(WL_FAULT_SIGN)
        const bool keep = i < length && in[i] < threshold;
#else
        const bool keep = i < length && in[i] > threshold;
#endif
#ifdef WL_FAULT_VOTERS
        const unsigned votes = __ballot_sync(0x7fffffff, keep);
#else
        const unsigned votes = __ballot_sync(0xffffffff, keep);
#endif
#ifdef WL_FAULT_SELF
        const int before = __popc(votes & ((2u << lane) - 1));
#else
        const int before = __popc(votes & ((1u << lane) - 1));
#endif
        if (lane == 0) of_warp[warp] = __popc(votes);
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
#ifdef WL_FAULT_BASE
        int place = before;
#else
        int place = done + before;
#endif
#ifdef WL_FAULT_UP
        for (int w = 0; w <= warp; ++w) place += of_warp[w];
#else
        for (int w = 0; w < warp; ++w) place += of_warp[w];
#endif
        if (keep) out[place] = in[i];
        for (int w = 0; w < kWarps; ++w) done += of_warp[w];
#ifndef WL_FAULT_TURN
        __syncthreads();
#endif
    }
#ifdef WL_FAULT_TOTAL
    if (t == 0) counts[blockIdx.x] = done - 1;
#else
    if (t == 0) counts[blockIdx.x] = done;
#endif
}
