// Stresses: decoupled look-back (Merrill and Garland 2016): blocks that wait for blocks before them, tickets
// in the order of starting, a flag and a value published by one 64-bit word with release and acquire.
#include <cuda/atomic>

constexpr unsigned long long kPartial = 1ull << 32, kComplete = 2ull << 32;

extern "C" __global__ void scan_lookback(
    const int* in, int* out, unsigned long long* states, int* tickets, int n
) {
    __shared__ int sums[32];
    __shared__ int tile, before;
    if (threadIdx.x == 0) tile = atomicAdd(tickets, 1);
    __syncthreads();
    const int i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = i < n ? in[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        const int below = __shfl_up_sync(0xffffffff, x, step);
        if (lane >= step) x += below;
    }
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    for (int w = 0; w < warp; ++w) x += sums[w];
    if (threadIdx.x == blockDim.x - 1) {
        using State = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
        State(states[tile])
            .store((tile ? kPartial : kComplete) | static_cast<unsigned>(x), cuda::memory_order_release);
        int sum = 0;
        for (int t = tile - 1; t >= 0;) {
            const unsigned long long state = State(states[t]).load(cuda::memory_order_acquire);
            if (state < kPartial) continue;
            sum += static_cast<int>(state);
            if (state >= kComplete) break;
            --t;
        }
        before = sum;
        if (tile)
            State(states[tile]).store(kComplete | static_cast<unsigned>(sum + x), cuda::memory_order_release);
    }
    __syncthreads();
    if (i < n) out[i] = before + x;
}
