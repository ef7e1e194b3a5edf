// Stresses: three stages of cp.async, ldmatrix with and without .trans over an XOR swizzle, mma.sync
// m16n8k16.
#include <cuda_fp16.h>

constexpr int kTile = 32, kStep = 32, kStages = 3;

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// 16 bytes (8 halves) of row r: chunk c lies at c ^ (r / 2 % 4), which no eight rows of a matrix share a bank
// by.
__device__ __half* chunk(__half (*tile)[kStep], int r, int c) { return &tile[r][(c ^ (r / 2 % 4)) * 8]; }

__device__ void copy_tile(__half (*tile)[kStep], const __half* from, int ld) {
    const int r = threadIdx.x / 4, c = threadIdx.x % 4;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(chunk(tile, r, c))),
        "l"(from + r * ld + c * 8)
    );
}

// C (m, n) = A (m, k) B (k, n), all by rows and multiples of 32; 128 threads.
extern "C" __global__ void gemm_mma(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ __align__(128) __half sa[kStages][kTile][kStep], sb[kStages][kStep][kTile];
    const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, r0 = warp / 2 * 16, c0 = warp % 2 * 16;
    const int steps = k / kStep;
    float sum[2][4] = {};
    for (int s = 0; s < kStages - 1; ++s) {
        if (s < steps) {
            copy_tile(sa[s], a + row0 * k + s * kStep, k);
            copy_tile(sb[s], b + s * kStep * n + column0, n);
        }
        asm volatile("cp.async.commit_group;");
    }
    for (int s = 0; s < steps; ++s) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2));
        __syncthreads();
        const int next = s + kStages - 1;
        if (next < steps) {
            copy_tile(sa[next % kStages], a + row0 * k + next * kStep, k);
            copy_tile(sb[next % kStages], b + next * kStep * n + column0, n);
        }
        asm volatile("cp.async.commit_group;");
        for (int kk = 0; kk < kStep; kk += 16) {
            unsigned fa[4], fb[4];
            const unsigned from_a =
                shared_address(chunk(sa[s % kStages], r0 + lane % 16, kk / 8 + lane / 16));
            const unsigned from_b =
                shared_address(chunk(sb[s % kStages], kk + lane % 16, c0 / 8 + lane / 16));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                         : "r"(from_a)
                         : "memory");
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                         : "r"(from_b)
                         : "memory");
            for (int h = 0; h < 2; ++h)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                    "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                    : "+f"(sum[h][0]), "+f"(sum[h][1]), "+f"(sum[h][2]), "+f"(sum[h][3])
                    : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * h]), "r"(fb[2 * h + 1])
                );
        }
    }
    for (int h = 0; h < 2; ++h)
        for (int i = 0; i < 4; ++i)
            c[(row0 + r0 + lane / 4 + i / 2 * 8) * n + column0 + c0 + h * 8 + lane % 4 * 2 + i % 2] =
                sum[h][i];
}
