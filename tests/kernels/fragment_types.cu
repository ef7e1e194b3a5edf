// Matrix instructions of many element types in one warp, a line each: what `at --fragments` shows of them is
// held to arithmetic by tests/cli/fragments_panel_test.cpp. Elements are small numbers that depend on lane
// and place.
#include <cuda_fp16.h>

// A register of elements of BITS bits: BASE with the low bits changed.
__device__ unsigned packed(unsigned base, unsigned low_bits, int bits, int lane, int reg) {
    unsigned word = 0;
    for (int i = 0; i < 32 / bits; ++i) {
        const unsigned element = base + ((7 * lane + 3 * reg + 5 * i) & low_bits);
        word |= element << (i * bits);
    }
    return word;
}

#define PRODUCT(NAME, C, A, B)                                                           \
    asm volatile(NAME " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+r"(C[0]), "+r"(C[1]), "+r"(C[2]), "+r"(C[3])                        \
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]))

__device__ void fill(unsigned (&a)[4], unsigned (&b)[2], unsigned base, unsigned low_bits, int bits) {
    const int lane = threadIdx.x;
    for (int i = 0; i < 4; ++i) a[i] = packed(base, low_bits, bits, lane, i);
    for (int i = 0; i < 2; ++i) b[i] = packed(base, low_bits, bits, lane + 11, i);
}

extern "C" __global__ void fragment_types(unsigned* out) {
    __shared__ __align__(16) __half tile[16 * 24];
    unsigned a[4], b[2], sum[4] = {}, d[4] = {};
    const int lane = threadIdx.x;
    for (int i = lane; i < 16 * 24; i += 32) tile[i] = __float2half(static_cast<float>(i));
    __syncwarp();

    fill(a, b, 0xf8, 0x0f, 8);
    PRODUCT("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", d, a, b);
    for (int i = 0; i < 4; ++i) sum[i] += d[i], d[i] = i;
    fill(a, b, 0x0, 0x0f, 4);
    PRODUCT("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", d, a, b);
    for (int i = 0; i < 4; ++i) sum[i] += d[i], d[i] = __float_as_uint(static_cast<float>(i));
    fill(a, b, 0x30, 0x0f, 8);
    PRODUCT("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", d, a, b);
    for (int i = 0; i < 4; ++i) sum[i] += d[i], d[i] = __float_as_uint(static_cast<float>(i));
    fill(a, b, 0x3f80, 0x7f, 16);
    PRODUCT("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", d, a, b);
    for (int i = 0; i < 4; ++i) sum[i] += d[i], d[i] = 0;
    for (int i = 0; i < 4; ++i) a[i] = 0x3f800000 + (static_cast<unsigned>(3 * lane + i) << 13);
    for (int i = 0; i < 2; ++i) b[i] = 0x3f800000 + (static_cast<unsigned>(5 * lane + i) << 13);
    PRODUCT("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", d, a, b);
    for (int i = 0; i < 4; ++i) sum[i] += d[i];

    const unsigned row =
        static_cast<unsigned>(__cvta_generic_to_shared(tile + lane % 16 * 24 + lane / 16 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(row)
                 : "memory");
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(b[0]) : "r"(a[0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(b[0]), "r"(a[1])
                 : "memory");
    out[lane] = sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ a[0] ^ a[2] ^ a[3];
}
