// C = A B^T by mma.sync m16n8k16: two warps with 16 rows each, operands by ldmatrix from a ring of two stages
// that cp.async fills.
#include <cuda_fp16.h>

constexpr int kRows = 32, kCols = 16, kStep = 16, kLd = kStep + 8, kStages = 2;

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void copy16(half* to, const half* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int left>
__device__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

__device__ void mma(float* c, const unsigned* a, unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)
    );
}

// Copies of one step: 32 rows of A, 16 of B, eight halves a thread and turn.
__device__ void fetch(half* a, half* b, const half* A, const half* B, int k, int k0) {
    const int row = threadIdx.x / 2, col = threadIdx.x % 2 * 8;
#ifdef WL_FAULT_PAD
    copy16(a + row * (kLd + 1) + col, A + row * k + k0 + col);
#else
    copy16(a + row * kLd + col, A + row * k + k0 + col);
#endif
#ifdef WL_FAULT_EXTENT
    copy16(b + row * kLd + col, B + row * k + k0 + col);
#else
    if (row < kCols) copy16(b + row * kLd + col, B + row * k + k0 + col);
#endif
    commit();
}

// A: (m, k), B: (n, k), C: (m, n); m a multiple of 32, n and k of 16. Grid (n / 16, m / 32), 64 threads.
__global__ void gemm_mma(const half* A, const half* B, float* C, int n, int k) {
    __shared__ __align__(16) half a[kStages][kRows * kLd], b[kStages][kCols * kLd];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = k / kStep;
    A += blockIdx.y * kRows * k;
    B += blockIdx.x * kCols * k;
    float acc[2][4] = {};
    fetch(a[0], b[0], A, B, k, 0);
    for (int step = 0; step < steps; ++step) {
        if (step + 1 < steps) {
            fetch(a[(step + 1) % 2], b[(step + 1) % 2], A, B, k, (step + 1) * kStep);
#ifdef WL_FAULT_GROUP
            wait<2>();
#else
            wait<1>();
#endif
        } else {
#ifdef WL_FAULT_FINAL
            wait<1>();
#else
            wait<0>();
#endif
        }
        __syncthreads();
#ifdef WL_FAULT_RING
        const half* as = a[(step + 1) % 2] + warp * 16 * kLd;
#else
        const half* as = a[step % 2] + warp * 16 * kLd;
#endif
#ifdef WL_FAULT_QUARTER
        const unsigned a_row = shared_address(as + (lane / 16 * 8 + lane % 8) * kLd + lane % 16 / 8 * 8);
#else
        const unsigned a_row = shared_address(as + lane % 16 * kLd + lane / 16 * 8);
#endif
        unsigned fa[4], fb[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"(a_row)
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                     : "r"(shared_address(b[step % 2] + lane % 16 * kLd + lane / 16 * 8))
                     : "memory");
        mma(acc[0], fa, fb[0], fb[2]);
#ifdef WL_FAULT_PAIR
        mma(acc[1], fa, fb[0], fb[3]);
#else
        mma(acc[1], fa, fb[1], fb[3]);
#endif
#ifndef WL_FAULT_REUSE
        __syncthreads();
#endif
    }
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 4; ++i) {
#ifdef WL_FAULT_UPPER
            const int row = blockIdx.y * kRows + warp * 16 + lane / 4;
#else
            const int row = blockIdx.y * kRows + warp * 16 + lane / 4 + i / 2 * 8;
#endif
            C[row * n + blockIdx.x * kCols + j * 8 + lane % 4 * 2 + i % 2] = acc[j][i];
        }
}
