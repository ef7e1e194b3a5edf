// BLAS 1 and a part of BLAS 2 by cuBLAS's functions of today: factors are of the host or the device by
// their address.
#include "shim/cublas/gemm.h"
#include "shim/cublas/handles.h"
#include "shim/cublas/plain.h"

using namespace wl::libraries;
using namespace wl::cublas;

namespace {

template <class Body>
int called(const char* function, const Handle* handle, Body body) {
    return answered([&] { return body(Call{function, handles().at(handle)->stream}); });
}

template <bool kDouble>
Strided vector(const void* at, int n, int step) {
    return {const_cast<void*>(at), n, step, kDouble};
}
template <bool kDouble>
double factor(const void* at) {
    return scalar(at, kDouble ? kF64 : kF32);
}

}  // namespace

extern "C" {

#define WL_REDUCTION(name, kDouble, kWhat)                                               \
    int name##_v2(const Handle* handle, int n, const void* x, int step, void* out) {     \
        return called(#name, handle, [&](const Call& call) {                             \
            return reduce(call, Reduction::kWhat, vector<kDouble>(x, n, step), {}, out); \
        });                                                                              \
    }
#define WL_VECTORS(S, I, kDouble)                                                                          \
    WL_REDUCTION(cublas##S##nrm2, kDouble, norm)                                                           \
    WL_REDUCTION(cublas##S##asum, kDouble, sum_of_magnitudes)                                              \
    WL_REDUCTION(cublas##I##amax, kDouble, largest)                                                        \
    WL_REDUCTION(cublas##I##amin, kDouble, smallest)                                                       \
    int cublas##S##dot_v2(                                                                                 \
        const Handle* handle, int n, const void* x, int step_x, const void* y, int step_y, void* out       \
    ) {                                                                                                    \
        return called("cublas" #S "dot", handle, [&](const Call& call) {                                   \
            return reduce(                                                                                 \
                call, Reduction::dot, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y), out    \
            );                                                                                             \
        });                                                                                                \
    }                                                                                                      \
    int cublas##S##axpy_v2(                                                                                \
        const Handle* handle, int n, const void* alpha, const void* x, int step_x, void* y, int step_y     \
    ) {                                                                                                    \
        return called("cublas" #S "axpy", handle, [&](const Call& call) {                                  \
            return axpy(                                                                                   \
                call, factor<kDouble>(alpha), vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y) \
            );                                                                                             \
        });                                                                                                \
    }                                                                                                      \
    int cublas##S##scal_v2(const Handle* handle, int n, const void* alpha, void* x, int step) {            \
        return called("cublas" #S "scal", handle, [&](const Call& call) {                                  \
            return scale(call, factor<kDouble>(alpha), vector<kDouble>(x, n, step));                       \
        });                                                                                                \
    }                                                                                                      \
    int cublas##S##copy_v2(const Handle* handle, int n, const void* x, int step_x, void* y, int step_y) {  \
        return called("cublas" #S "copy", handle, [&](const Call& call) {                                  \
            return copy(call, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y));               \
        });                                                                                                \
    }                                                                                                      \
    int cublas##S##swap_v2(const Handle* handle, int n, void* x, int step_x, void* y, int step_y) {        \
        return called("cublas" #S "swap", handle, [&](const Call& call) {                                  \
            return exchange(call, vector<kDouble>(x, n, step_x), vector<kDouble>(y, n, step_y));           \
        });                                                                                                \
    }                                                                                                      \
    int cublas##S##gemv_v2(                                                                                \
        const Handle* handle,                                                                              \
        int t,                                                                                             \
        int m,                                                                                             \
        int n,                                                                                             \
        const void* alpha,                                                                                 \
        const void* a,                                                                                     \
        int lda,                                                                                           \
        const void* x,                                                                                     \
        int step_x,                                                                                        \
        const void* beta,                                                                                  \
        void* y,                                                                                           \
        int step_y                                                                                         \
    ) {                                                                                                    \
        return called("cublas" #S "gemv", handle, [&](const Call& call) {                                  \
            require_operation(t);                                                                          \
            const Block block{const_cast<void*>(a), m, n, lda, kDouble};                                   \
            return matrix_vector(                                                                          \
                call,                                                                                      \
                t != 0,                                                                                    \
                factor<kDouble>(alpha),                                                                    \
                block,                                                                                     \
                vector<kDouble>(x, 0, step_x),                                                             \
                factor<kDouble>(beta),                                                                     \
                vector<kDouble>(y, 0, step_y)                                                              \
            );                                                                                             \
        });                                                                                                \
    }                                                                                                      \
    int cublas##S##ger_v2(                                                                                 \
        const Handle* handle,                                                                              \
        int m,                                                                                             \
        int n,                                                                                             \
        const void* alpha,                                                                                 \
        const void* x,                                                                                     \
        int step_x,                                                                                        \
        const void* y,                                                                                     \
        int step_y,                                                                                        \
        void* a,                                                                                           \
        int lda                                                                                            \
    ) {                                                                                                    \
        return called("cublas" #S "ger", handle, [&](const Call& call) {                                   \
            return rank_one(                                                                               \
                call,                                                                                      \
                factor<kDouble>(alpha),                                                                    \
                vector<kDouble>(x, m, step_x),                                                             \
                vector<kDouble>(y, n, step_y),                                                             \
                {a, m, n, lda, kDouble}                                                                    \
            );                                                                                             \
        });                                                                                                \
    }
WL_VECTORS(S, Is, false)
WL_VECTORS(D, Id, true)
#undef WL_VECTORS
#undef WL_REDUCTION
}
