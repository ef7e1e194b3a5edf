// A row is copied into shared memory in bulk, by one lane that the others wait for; each warp's sum is added
// by an atomic that writes over the register of its own address.
#include <cstdint>

extern "C" __global__ void bulk(const unsigned* in, unsigned* out) {
    __shared__ __align__(16) unsigned row[256];
    __shared__ __align__(8) uint64_t arrived;
    __shared__ unsigned total;
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(row));
    if (threadIdx.x == 0) {
        total = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(barrier) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to
            ),
            "l"(in + 256 * blockIdx.x),
            "r"(1024),
            "r"(barrier)
            : "memory"
        );
    }
    asm volatile(
        "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::"r"(
            barrier
        )
        : "memory"
    );
    unsigned sum = row[threadIdx.x] + row[threadIdx.x + 128];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&total));
    if (threadIdx.x % 32 == 0)
        asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(place) : "r"(sum) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
