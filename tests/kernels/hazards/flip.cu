// Transposes tiles: threads lay a tile out in shared memory, one of them sends it off in bulk.
#include <cstdint>

extern "C" __global__ void flip(const float* in, float* out) {
    __shared__ alignas(128) float tile[16][16];
    const float* from = in + blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i % 16][i / 16] = from[i];  // first: proxy
#ifndef WL_FAULT_PROXY
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t at = (uint32_t)__cvta_generic_to_shared(tile);
        const uint64_t to = __cvta_generic_to_global(out + blockIdx.x * 256);
        // clang-format off
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at), "r"(1024) : "memory");  // second: proxy
        // clang-format on
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
