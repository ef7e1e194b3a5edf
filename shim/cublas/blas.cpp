// cuBLAS by its C functions. Enumerations are passed as the ints that they are.
#include "shim/cublas/gemm.h"

#include <cmath>

using wl::cublas::Product;

namespace {

constexpr int kF32 = 0, kF64 = 1, kF16 = 2, kCompute16 = 64, kCompute64 = 70, kCompute64Pedantic = 71;

struct Handle {
    void* stream = nullptr;
    int math = 0, pointers = 0, atomics = 0;
};

// What the factors are, by the type that is computed in.
int scale_type(int compute) {
    if (compute == kCompute16 || compute == kCompute16 + 1) return kF16;
    return compute == kCompute64 || compute == kCompute64Pedantic ? kF64 : kF32;
}

struct Shape {
    int transpose_a, transpose_b, m, n, k;
};

template <class Pointer>
Product product(
    const Shape& s,
    int scale,
    const void* alpha,
    Pointer a,
    int type_a,
    int lda,
    Pointer b,
    int type_b,
    int ldb,
    const void* beta,
    void* c,
    int type_c,
    int ldc
) {
    Product p;
    p.m = s.m, p.n = s.n, p.k = s.k;
    p.alpha = wl::cublas::scalar(alpha, scale), p.beta = wl::cublas::scalar(beta, scale);
    p.a = {a, type_a, lda, s.transpose_a != 0}, p.b = {b, type_b, ldb, s.transpose_b != 0};
    p.c = {c, type_c, ldc, false};
    p.d = c, p.ld = ldc, p.type = type_c;
    return p;
}

int batched(
    Handle* handle, Product p, long long stride_a, long long stride_b, long long stride_c, int count
) {
    const auto moved = [](const void* at, long long elements, int type) {
        return static_cast<const std::byte*>(at) +
            elements * static_cast<long long>(wl::cublas::bytes_of(type));
    };
    for (int k = 0; k < count; ++k) {
        if (const int status = wl::cublas::multiply(p, handle->stream); status != wl::cublas::success)
            return status;
        p.a.data = moved(p.a.data, stride_a, p.a.type), p.b.data = moved(p.b.data, stride_b, p.b.type);
        p.c.data = moved(p.c.data, stride_c, p.c.type);
        p.d = const_cast<void*>(static_cast<const void*>(moved(p.d, stride_c, p.type)));
    }
    return wl::cublas::success;
}

template <int kType>
int matrix_vector(
    Handle* handle,
    int transpose,
    int m,
    int n,
    const void* alpha,
    const void* a,
    int lda,
    const void* x,
    int step_x,
    const void* beta,
    void* y,
    int step_y
) {
    const int rows = transpose != 0 ? n : m, depth = transpose != 0 ? m : n;
    Product p;
    p.m = 1, p.n = rows, p.k = depth;  // a row times op(a), transposed: vectors are rows with a step
    p.alpha = wl::cublas::scalar(alpha, kType), p.beta = wl::cublas::scalar(beta, kType);
    p.a = {x, kType, step_x, false}, p.b = {a, kType, lda, transpose == 0};
    p.c = {y, kType, step_y, false};
    p.d = y, p.ld = step_y, p.type = kType;
    return wl::cublas::multiply(p, handle->stream);
}

}  // namespace

extern "C" {

int cublasCreate_v2(Handle** out) {
    *out = new Handle;
    return 0;
}
int cublasDestroy_v2(Handle* handle) {
    delete handle;
    return 0;
}
int cublasGetVersion_v2(Handle*, int* version) {
    *version = 130000;
    return 0;
}
int cublasSetStream_v2(Handle* handle, void* stream) {
    handle->stream = stream;
    return 0;
}
int cublasGetStream_v2(Handle* handle, void** stream) {
    *stream = handle->stream;
    return 0;
}
int cublasSetWorkspace_v2(Handle*, void*, size_t) { return 0; }
int cublasSetMathMode(Handle* handle, int mode) {
    handle->math = mode;
    return 0;
}
int cublasGetMathMode(Handle* handle, int* mode) {
    *mode = handle->math;
    return 0;
}
int cublasSetPointerMode_v2(Handle* handle, int mode) {
    handle->pointers = mode;
    return 0;
}
int cublasGetPointerMode_v2(Handle* handle, int* mode) {
    *mode = handle->pointers;
    return 0;
}
int cublasSetAtomicsMode(Handle* handle, int mode) {
    handle->atomics = mode;
    return 0;
}
const char* cublasGetStatusString(int status) {
    return status == 0 ? "the operation completed successfully" : "an error of the stand-in for cuBLAS";
}
const char* cublasGetStatusName(int status) {
    return status == 0 ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_NOT_SUPPORTED";
}

#define WL_GEMM(letter, kType)                                                                          \
    int cublas##letter##gemm_v2(                                                                        \
        Handle* handle,                                                                                 \
        int ta,                                                                                         \
        int tb,                                                                                         \
        int m,                                                                                          \
        int n,                                                                                          \
        int k,                                                                                          \
        const void* alpha,                                                                              \
        const void* a,                                                                                  \
        int lda,                                                                                        \
        const void* b,                                                                                  \
        int ldb,                                                                                        \
        const void* beta,                                                                               \
        void* c,                                                                                        \
        int ldc                                                                                         \
    ) {                                                                                                 \
        const Shape s{ta, tb, m, n, k};                                                                 \
        return wl::cublas::multiply(                                                                    \
            product(s, kType, alpha, a, kType, lda, b, kType, ldb, beta, c, kType, ldc), handle->stream \
        );                                                                                              \
    }                                                                                                   \
    int cublas##letter##gemmStridedBatched(                                                             \
        Handle* handle,                                                                                 \
        int ta,                                                                                         \
        int tb,                                                                                         \
        int m,                                                                                          \
        int n,                                                                                          \
        int k,                                                                                          \
        const void* alpha,                                                                              \
        const void* a,                                                                                  \
        int lda,                                                                                        \
        long long sa,                                                                                   \
        const void* b,                                                                                  \
        int ldb,                                                                                        \
        long long sb,                                                                                   \
        const void* beta,                                                                               \
        void* c,                                                                                        \
        int ldc,                                                                                        \
        long long sc,                                                                                   \
        int count                                                                                       \
    ) {                                                                                                 \
        const Shape s{ta, tb, m, n, k};                                                                 \
        return batched(                                                                                 \
            handle,                                                                                     \
            product(s, kType, alpha, a, kType, lda, b, kType, ldb, beta, c, kType, ldc),                \
            sa,                                                                                         \
            sb,                                                                                         \
            sc,                                                                                         \
            count                                                                                       \
        );                                                                                              \
    }
WL_GEMM(S, kF32)
WL_GEMM(D, kF64)
WL_GEMM(H, kF16)
#undef WL_GEMM

int cublasSgemv_v2(
    Handle* handle,
    int t,
    int m,
    int n,
    const void* alpha,
    const void* a,
    int lda,
    const void* x,
    int step_x,
    const void* beta,
    void* y,
    int step_y
) {
    return matrix_vector<kF32>(handle, t, m, n, alpha, a, lda, x, step_x, beta, y, step_y);
}
int cublasDgemv_v2(
    Handle* handle,
    int t,
    int m,
    int n,
    const void* alpha,
    const void* a,
    int lda,
    const void* x,
    int step_x,
    const void* beta,
    void* y,
    int step_y
) {
    return matrix_vector<kF64>(handle, t, m, n, alpha, a, lda, x, step_x, beta, y, step_y);
}

int cublasGemmEx(
    Handle* handle,
    int ta,
    int tb,
    int m,
    int n,
    int k,
    const void* alpha,
    const void* a,
    int type_a,
    int lda,
    const void* b,
    int type_b,
    int ldb,
    const void* beta,
    void* c,
    int type_c,
    int ldc,
    int compute,
    int /*algorithm*/
) {
    const Shape s{ta, tb, m, n, k};
    return wl::cublas::multiply(
        product(s, scale_type(compute), alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc),
        handle->stream
    );
}

int cublasGemmStridedBatchedEx(
    Handle* handle,
    int ta,
    int tb,
    int m,
    int n,
    int k,
    const void* alpha,
    const void* a,
    int type_a,
    int lda,
    long long sa,
    const void* b,
    int type_b,
    int ldb,
    long long sb,
    const void* beta,
    void* c,
    int type_c,
    int ldc,
    long long sc,
    int count,
    int compute,
    int /*algorithm*/
) {
    const Shape s{ta, tb, m, n, k};
    return batched(
        handle,
        product(s, scale_type(compute), alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc),
        sa,
        sb,
        sc,
        count
    );
}
}
