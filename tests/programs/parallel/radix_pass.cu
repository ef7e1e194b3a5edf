// Stresses: match_any over the digits of a warp, ranks by population count, a scan over a table of counts, a
// stable scatter: all passes of a radix sort of one block.

constexpr int kDigits = 16, kWarps = 8, kElements = kWarps * 32;

extern "C" __global__ void radix_pass(const unsigned* in, unsigned* out) {
    __shared__ unsigned keys[kElements];
    __shared__ int counts[kDigits][kWarps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned key = in[blockIdx.x * kElements + threadIdx.x];
    for (int shift = 0; shift < 32; shift += 4) {
        for (int i = threadIdx.x; i < kDigits * kWarps; i += blockDim.x) counts[i / kWarps][i % kWarps] = 0;
        __syncthreads();
        const int digit = key >> shift & (kDigits - 1);
        const unsigned peers = __match_any_sync(0xffffffff, digit);
        const int rank = __popc(peers & ((1u << lane) - 1));
        if (rank == 0) counts[digit][warp] = __popc(peers);
        __syncthreads();
        if (warp == 0) {  // exclusive scan of the 128 counts, four a lane
            int* four = &counts[0][0] + lane * 4;
            int sum = 0;
            for (int i = 0; i < 4; ++i) {
                const int count = four[i];
                four[i] = sum;
                sum += count;
            }
            int all = sum;
            for (int step = 1; step < 32; step *= 2) {
                const int below = __shfl_up_sync(0xffffffff, all, step);
                if (lane >= step) all += below;
            }
            for (int i = 0; i < 4; ++i) four[i] += all - sum;
        }
        __syncthreads();
        keys[counts[digit][warp] + rank] = key;
        __syncthreads();
        key = keys[threadIdx.x];
    }
    out[blockIdx.x * kElements + threadIdx.x] = key;
}
