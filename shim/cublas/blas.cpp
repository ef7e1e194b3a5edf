// cuBLAS's products of matrices by their C functions. Enumerations are passed as the ints that they are.
#include "shim/cublas/gemm.h"
#include "shim/cublas/handles.h"

using namespace wl::libraries;
using namespace wl::cublas;

namespace {

constexpr int kCompute16 = 64, kCompute64 = 70, kCompute64Pedantic = 71;

// What the factors are, by the type that is computed in.
int scale_type(int compute) {
    if (compute == kCompute16 || compute == kCompute16 + 1) return kF16;
    return compute == kCompute64 || compute == kCompute64Pedantic ? kF64 : kF32;
}

struct Shape {
    int transpose_a, transpose_b, m, n, k;
};

// A matrix where it lies.
struct Side {
    const void* at;
    int type, ld;
};

struct Factors {
    const void *alpha, *beta;
    int type;
};

int product(
    const char* function,
    const Handle* handle,
    const Shape& s,
    const Factors& f,
    const Side& a,
    const Side& b,
    const Side& c,
    const Strides& strides = {},
    int64_t count = 1
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_operation(s.transpose_a), require_operation(s.transpose_b);
        for (const int type : {a.type, b.type, c.type})
            if (!is_known(type)) refuse((std::string(function) + " of these types").c_str(), nullptr);
        Product p;
        p.m = s.m, p.n = s.n, p.k = s.k;
        p.alpha = scalar(f.alpha, f.type), p.beta = scalar(f.beta, f.type);
        p.a = {a.at, a.type, a.ld, s.transpose_a != 0}, p.b = {b.at, b.type, b.ld, s.transpose_b != 0};
        p.c = {c.at, c.type, c.ld, false};
        p.d = const_cast<void*>(c.at), p.ld = c.ld, p.type = c.type;
        return multiply_batched(function, p, strides, count, h->stream);
    });
}

}  // namespace

extern "C" {

#define WL_GEMM(letter, kType)                     \
    int cublas##letter##gemm_v2(                   \
        const Handle* handle,                      \
        int ta,                                    \
        int tb,                                    \
        int m,                                     \
        int n,                                     \
        int k,                                     \
        const void* alpha,                         \
        const void* a,                             \
        int lda,                                   \
        const void* b,                             \
        int ldb,                                   \
        const void* beta,                          \
        void* c,                                   \
        int ldc                                    \
    ) {                                            \
        return product(                            \
            "cublas" #letter "gemm",               \
            handle,                                \
            {ta, tb, m, n, k},                     \
            {alpha, beta, kType},                  \
            {a, kType, lda},                       \
            {b, kType, ldb},                       \
            {c, kType, ldc}                        \
        );                                         \
    }                                              \
    int cublas##letter##gemmStridedBatched(        \
        const Handle* handle,                      \
        int ta,                                    \
        int tb,                                    \
        int m,                                     \
        int n,                                     \
        int k,                                     \
        const void* alpha,                         \
        const void* a,                             \
        int lda,                                   \
        long long sa,                              \
        const void* b,                             \
        int ldb,                                   \
        long long sb,                              \
        const void* beta,                          \
        void* c,                                   \
        int ldc,                                   \
        long long sc,                              \
        int count                                  \
    ) {                                            \
        return product(                            \
            "cublas" #letter "gemmStridedBatched", \
            handle,                                \
            {ta, tb, m, n, k},                     \
            {alpha, beta, kType},                  \
            {a, kType, lda},                       \
            {b, kType, ldb},                       \
            {c, kType, ldc},                       \
            {sa, sb, sc, sc},                      \
            count                                  \
        );                                         \
    }
WL_GEMM(S, kF32)
WL_GEMM(D, kF64)
WL_GEMM(H, kF16)
#undef WL_GEMM

int cublasGemmEx(
    const Handle* handle,
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
    return product(
        "cublasGemmEx",
        handle,
        {ta, tb, m, n, k},
        {alpha, beta, scale_type(compute)},
        {a, type_a, lda},
        {b, type_b, ldb},
        {c, type_c, ldc}
    );
}

int cublasGemmStridedBatchedEx(
    const Handle* handle,
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
    return product(
        "cublasGemmStridedBatchedEx",
        handle,
        {ta, tb, m, n, k},
        {alpha, beta, scale_type(compute)},
        {a, type_a, lda},
        {b, type_b, ldb},
        {c, type_c, ldc},
        {sa, sb, sc, sc},
        count
    );
}
}
