// Matrix instructions as libraries write them: wmma of every kind, mma.sync, ldmatrix, stmatrix, sparse mma.
#include <cuda_bf16.h>

#include <mma.h>

using namespace nvcuda;

template <class A, class C, int m, int n, int k, class BLayout = wmma::col_major>
__device__ void multiply(const A* a, const A* b, C* c) {
    wmma::fragment<wmma::matrix_a, m, n, k, A, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, A, BLayout> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc;
    wmma::load_matrix_sync(fa, a, k);
    wmma::load_matrix_sync(fb, b, k);
    wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void matrix(__half* h, __nv_bfloat16* b, double* d, signed char* s, int* i, float* f) {
    __shared__ __align__(16) __half tile[1024];
    multiply<__half, float, 16, 16, 16>(h, h + 256, f);
    multiply<__half, __half, 8, 32, 16>(tile, tile + 256, tile + 512);
    multiply<__nv_bfloat16, float, 32, 8, 16>(b, b + 512, f);
    multiply<double, double, 8, 8, 4>(d, d + 32, d + 64);
    multiply<signed char, int, 16, 16, 16>(s, s + 256, i);
    {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
        wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
        wmma::load_matrix_sync(fa, f, 8);
        wmma::load_matrix_sync(fb, f + 128, 16);
        wmma::fill_fragment(fc, 0.f);
        for (int e = 0; e < fa.num_elements; ++e) fa.x[e] = wmma::__float_to_tf32(fa.x[e]);
        wmma::mma_sync(fc, fa, fb, fc);
        wmma::store_matrix_sync(f, fc, 16, wmma::mem_col_major);
    }
    unsigned a[4], c[4], row = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x * 8));
    float acc[4] = {};
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0,%1}, [%2+64];"
                 : "=r"(c[0]), "=r"(c[1])
                 : "r"(row));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(c[0]), "r"(c[1])
    );
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(c[0]), "r"(c[1])
    );
    asm volatile(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, "
        "{%6,%7}, {%0,%1,%2,%3}, %8, 0x0;"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(c[0]), "r"(c[1]), "r"(a[2])
    );
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(c[0]), "r"(c[1])
    );
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};\n\tmovmatrix.sync.aligned.m8n8.trans.b16 "
        "%1, %2;"
        :
        : "r"(row), "r"(c[0]), "r"(c[1])
    );
    i[threadIdx.x] = static_cast<int>(a[0] + c[2] + acc[0] + acc[3]);
}
