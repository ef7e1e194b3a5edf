// cuBLAS's first API (cublas.h): no handle, factors by value, errors by cublasGetError. S and D.
#include "shim/cublas/gemm.h"
#include "shim/cublas/handles.h"
#include "shim/cublas/plain.h"

#include <atomic>

extern "C" {
int cudaMalloc(void** out, size_t bytes);
int cudaFree(void* memory);
}

using namespace wl::libraries;
using namespace wl::cublas;

namespace {

constexpr int kNotInitialized = 1;

std::atomic<bool> initialised = false;
std::atomic<void*> stream = nullptr;
thread_local int last = 0;  // what cublasGetError gives

template <class Body>
void called(const char* function, Body body) {
    const int status = answered([&] {
        if (!initialised) return kNotInitialized;
        return body(Call{function, stream});
    });
    if (status != 0) last = status;
}

// The number that a reduction leaves; 0 where it fails.
template <class T>
T reduced(const char* function, Reduction what, const Strided& x, const Strided& y = {}) {
    T out = 0;
    called(function, [&](const Call& call) { return reduce(call, what, x, y, &out); });
    return out;
}

template <bool kDouble>
Strided vector(const void* at, int n, int step) {
    return {const_cast<void*>(at), n, step, kDouble};
}

bool is_transposed(char letter) {
    const char lower = static_cast<char>(letter | 0x20);
    require(lower == 'n' || lower == 't' || lower == 'c');
    return lower != 'n';
}

}  // namespace

extern "C" {

int cublasInit() {
    return answered([] {
        if (!has_device()) return kNotInitialized;
        initialised = true;
        return 0;
    });
}
int cublasShutdown() { return initialised.exchange(false) ? 0 : kNotInitialized; }
int cublasGetError() {
    const int was = last;
    last = 0;
    return was;
}
int cublasSetKernelStream(void* of) {
    stream = of;
    return initialised ? 0 : kNotInitialized;
}
int cublasAlloc(int n, int element, void** out) {
    return answered([&] {
        if (!initialised) return kNotInitialized;
        require(n > 0 && element > 0);
        void* made = nullptr;
        give(out, made);
        if (cudaMalloc(&made, static_cast<size_t>(n) * static_cast<size_t>(element)) != 0)
            return kStatuses.no_memory;
        give(out, made);
        return 0;
    });
}
int cublasFree(void* memory) {
    if (!initialised) return kNotInitialized;
    return cudaFree(memory) == 0 ? 0 : kStatuses.internal;
}

// NOLINTBEGIN(bugprone-macro-parentheses, readability-non-const-parameter): a type; NVIDIA's declarations
#define WL_FIRST(S, I, T, kType, kDouble)                                                                    \
    T cublas##S##nrm2(int n, const T* x, int step) {                                                         \
        return reduced<T>("cublas" #S "nrm2", Reduction::norm, vector<kDouble>(x, n, step));                 \
    }                                                                                                        \
    T cublas##S##asum(int n, const T* x, int step) {                                                         \
        return reduced<T>("cublas" #S "asum", Reduction::sum_of_magnitudes, vector<kDouble>(x, n, step));    \
    }                                                                                                        \
    int cublas##I##amax(int n, const T* x, int step) {                                                       \
        return reduced<int>("cublas" #I "amax", Reduction::largest, vector<kDouble>(x, n, step));            \
    }                                                                                                        \
    int cublas##I##amin(int n, const T* x, int step) {                                                       \
        return reduced<int>("cublas" #I "amin", Reduction::smallest, vector<kDouble>(x, n, step));           \
    }                                                                                                        \
    T cublas##S##dot(int n, const T* x, int step_x, const T* y, int step_y) {                                \
        return reduced<T>(                                                                                   \
            "cublas" #S "dot", Reduction::dot, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y)  \
        );                                                                                                   \
    }                                                                                                        \
    void cublas##S##axpy(int n, T alpha, const T* x, int step_x, T* y, int step_y) {                         \
        called("cublas" #S "axpy", [&](const Call& call) {                                                   \
            return axpy(call, alpha, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y));          \
        });                                                                                                  \
    }                                                                                                        \
    void cublas##S##scal(int n, T alpha, T* x, int step) {                                                   \
        called("cublas" #S "scal", [&](const Call& call) {                                                   \
            return scale(call, alpha, vector<kDouble>(x, n, step));                                          \
        });                                                                                                  \
    }                                                                                                        \
    void cublas##S##copy(int n, const T* x, int step_x, T* y, int step_y) {                                  \
        called("cublas" #S "copy", [&](const Call& call) {                                                   \
            return copy(call, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y));                 \
        });                                                                                                  \
    }                                                                                                        \
    void cublas##S##swap(int n, T* x, int step_x, T* y, int step_y) {                                        \
        called("cublas" #S "swap", [&](const Call& call) {                                                   \
            return exchange(call, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y));             \
        });                                                                                                  \
    }                                                                                                        \
    void cublas##S##gemv(                                                                                    \
        char t, int m, int n, T alpha, const T* a, int lda, const T* x, int step_x, T beta, T* y, int step_y \
    ) {                                                                                                      \
        called("cublas" #S "gemv", [&](const Call& call) {                                                   \
            const Block block{const_cast<T*>(a), m, n, lda, kDouble};                                        \
            const Strided from = vector<kDouble>(x, 0, step_x), to = vector<kDouble>(y, 0, step_y);          \
            return matrix_vector(call, is_transposed(t), alpha, block, from, beta, to);                      \
        });                                                                                                  \
    }                                                                                                        \
    void cublas##S##ger(                                                                                     \
        int m, int n, T alpha, const T* x, int step_x, const T* y, int step_y, T* a, int lda                 \
    ) {                                                                                                      \
        called("cublas" #S "ger", [&](const Call& call) {                                                    \
            const Block block{a, m, n, lda, kDouble};                                                        \
            return rank_one(                                                                                 \
                call, alpha, vector<kDouble>(x, m, step_x), vector<kDouble>(y, n, step_y), block             \
            );                                                                                               \
        });                                                                                                  \
    }                                                                                                        \
    void cublas##S##gemm(                                                                                    \
        char ta,                                                                                             \
        char tb,                                                                                             \
        int m,                                                                                               \
        int n,                                                                                               \
        int k,                                                                                               \
        T alpha,                                                                                             \
        const T* a,                                                                                          \
        int lda,                                                                                             \
        const T* b,                                                                                          \
        int ldb,                                                                                             \
        T beta,                                                                                              \
        T* c,                                                                                                \
        int ldc                                                                                              \
    ) {                                                                                                      \
        called("cublas" #S "gemm", [&](const Call& call) {                                                   \
            Product p;                                                                                       \
            p.m = m, p.n = n, p.k = k, p.alpha = alpha, p.beta = beta;                                       \
            p.a = {a, kType, lda, is_transposed(ta)}, p.b = {b, kType, ldb, is_transposed(tb)};              \
            p.c = {c, kType, ldc, false}, p.d = c, p.ld = ldc, p.type = kType;                               \
            return multiply(call.function, p, call.stream);                                                  \
        });                                                                                                  \
    }
WL_FIRST(S, Is, float, kF32, false)
WL_FIRST(D, Id, double, kF64, true)
#undef WL_FIRST
// NOLINTEND(bugprone-macro-parentheses, readability-non-const-parameter)
}
