// Products of tiles: threads lay a out in shared memory, the tensor core of a warpgroup takes it and what a
// tensor map's copy has brought of b.
#include <cstdint>

struct alignas(64) TensorMap {
    char bytes[128];
};

__device__ uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
// K-major, lines of 32 bytes, swizzled by 32: blocks of eight lines are 256 bytes apart.
__device__ uint64_t descriptor(const void* p) {
    return uint64_t(at(p) >> 4) | uint64_t(1) << 16 | uint64_t(16) << 32 | uint64_t(3) << 62;
}

#if defined(WL_FAULT_FEW)
constexpr int kBytes = 128;
#elif defined(WL_FAULT_MANY)
constexpr int kBytes = 512;
#else
constexpr int kBytes = 256;
#endif

// c: (64, 8) = a: (64, 16) times the transpose of b: (8, 16); f16 and f32.
extern "C" __global__ void tiles(const uint32_t* a, const __grid_constant__ TensorMap map, float* c) {
    __shared__ alignas(256) uint32_t left[64 * 8], right[8 * 8];
    __shared__ alignas(8) uint64_t full;
    // clang-format off
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&full)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&full)), "n"(kBytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(at(right)), "l"(&map), "r"(0), "r"(at(&full)) : "memory");
    }
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        const int line = i / 8, piece = i % 8 / 4 ^ line / 4 % 2;
        left[line * 8 + piece * 4 + i % 4] = a[i];  // first: proxy
    }
#ifndef WL_FAULT_PROXY
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::"r"(at(&full)) : "memory");  // here: many; here: few
    float d[4] = {0, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(descriptor(left)), "l"(descriptor(right)) : "memory");  // first: read; first: write; second: proxy
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifdef WL_FAULT_WRITE
    if (threadIdx.x == 0) left[0] = 0x3c003c00;  // here: write
#endif
#ifndef WL_FAULT_READ
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");  // second: write
#endif
    // clang-format on
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 4; ++i) c[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];  // second: read
}
