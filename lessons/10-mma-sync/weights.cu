// O = P V by one mma.m16n8k16: P is 16 x 16, V is 16 keys x 8 columns, both by rows in shared memory.
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

extern "C" __global__ void weights(const __half* P, const __half* V, float* O) {
    __shared__ __align__(16) __half p[16][24], v[16][8];  // rows of p are padded to 48 bytes
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) p[i / 16][i % 16] = P[i];
    for (int i = lane; i < 128; i += 32) v[i / 8][i % 8] = V[i];
    __syncwarp();
    unsigned a[4], b[2];
    // Lane i names the row i % 8 of matrix i / 8: top left, bottom left, top right, bottom right of P.
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(shared_address(&p[lane % 16][lane / 16 * 8])));
    // Keys 0 to 7 of V, then keys 8 to 15.
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(shared_address(&v[lane % 16][0])));
    float o[4] = {};
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(o[0]), "+f"(o[1]), "+f"(o[2]), "+f"(o[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
    );
    for (int i = 0; i < 4; ++i) O[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = o[i];
}
