// A warp hands values to the other one through two stages, each with an mbarrier.
#include <cstdint>

__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void make(uint64_t* gate) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at(gate)) : "memory");
}
__device__ void arrive(uint64_t* gate) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(at(gate)) : "memory");
}
__device__ void wait_for(uint64_t* gate, uint32_t parity) {
    uint32_t done = 0;
    while (done == 0)
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(at(gate)), "r"(parity)  // here: parity
            : "memory"
        );
}

// in, out: (2, 32). Grid (1), block (64).
extern "C" __global__ void stages(const float* in, float* out) {
    __shared__ uint64_t full[2];
    __shared__ float held[2][32];
    const int t = threadIdx.x;
    if (t < 2) make(&full[t]);
    __syncthreads();
    for (int s = 0; s < 2; ++s) {
        if (t < 32) {
            held[s][t] = in[s * 32 + t];
#ifdef WL_FAULT_PARITY
            arrive(&full[0]);
#else
            arrive(&full[s]);
#endif
        } else {
            wait_for(&full[s], 0);
            out[s * 32 + t - 32] = held[s][t - 32];
        }
    }
}
