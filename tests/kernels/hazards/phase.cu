// Producer warps hand values to consumer warps through mbarriers: phases mixed up, a barrier never
// initialised.

using uint32_t = unsigned;
using uint64_t = unsigned long long;

__device__ uint32_t shared_address(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void init(uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
__device__ void arrive(uint64_t* barrier) {
    const uint32_t at = shared_address(barrier);
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");  // here: init
}
__device__ void wait(uint64_t* barrier, unsigned parity) {
    asm volatile(
        "{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra again; }" ::
            "r"(shared_address(barrier)),
        "r"(parity)  // here: parity
        : "memory"
    );
}

// in, out: (blocks, steps, 32). Grid (blocks), block (64): warp 0 produces, warp 1 consumes.
extern "C" __global__ void phase(const float* in, float* out, int steps) {
    __shared__ float slot[32];
    __shared__ uint64_t full, empty;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
#ifndef WL_FAULT_INIT
        init(&full, 32);
#endif
        init(&empty, 32);
    }
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        const int at = (blockIdx.x * steps + step) * 32 + lane;
        if (threadIdx.x < 32) {
            wait(&empty, (step + 1) % 2);
            slot[lane] = in[at];
            arrive(&full);
        } else {
#ifdef WL_FAULT_PARITY
            wait(&full, (step + 1) % 2);
#else
            wait(&full, step % 2);
#endif
            out[at] = slot[31 - lane];
            arrive(&empty);
        }
    }
}
