// cuBLAS's batches by arrays of pointers: products, LU, its solutions and inverses, in S and D. The pointers
// are of the device.
#include "shim/cublas/gemm.h"
#include "shim/cublas/handles.h"
#include "shim/libraries/dense.h"

using namespace wl::libraries;
using namespace wl::cublas;

namespace {

constexpr int kLargestInverse = 32;  // of matinvBatched
constexpr const char* kPointers = "the pointers to matrices";

struct Batch {
    const void* const* at = nullptr;
    int ld = 0;
    bool is_double = false;
    const char* what = "A";
};
Placed placed(const Batch& b, const void* at) { return {const_cast<void*>(at), b.ld, b.is_double, b.what}; }

std::vector<const void*> pointers(const Batch& b, int count) {
    return fetched<const void*>(b.at, count, kPointers);
}
void require_batch(const Batch& b, int rows, int count) {
    require(rows >= 0 && count >= 0 && b.ld >= std::max(rows, 1));
    require_memory(b.at, count, sizeof(void*), kPointers);
}
void require_numbers(const int* at, int64_t count, const char* what) {
    require_memory(at, count, sizeof(int), what);
}
void tell_infos(int* at, const std::vector<int>& infos) {
    store(at, infos.data(), infos.size() * sizeof(int), "the infos");
}

// Of matrix `k`; without pivots the rows are where they were.
Pivots pivots_of(const int* all, int n, size_t k) {
    if (all != nullptr) return fetched<int>(all + k * static_cast<size_t>(n), n, "the pivots");
    Pivots out(static_cast<size_t>(n));
    for (int row = 0; row < n; ++row) out[static_cast<size_t>(row)] = row + 1;
    return out;
}

// 0, or where a factor has no inverse.
int singular_at(const Dense& factors) {
    for (int64_t k = 0; k < factors.rows; ++k)
        if (factors(k, k) == 0) return static_cast<int>(k + 1);
    return 0;
}

int factored(
    const char* function, const Handle* handle, int n, const Batch& a, int* pivots, int* infos, int count
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_batch(a, n, count), require_numbers(infos, count, "the infos");
        if (pivots != nullptr) require_numbers(pivots, int64_t{n} * count, "the pivots");
        return submit(function, h->stream, When::at_once, [=] {
            std::vector<int> all;
            for (const void* at : ::pointers(a, count)) {
                Dense m = load(placed(a, at), n, n);
                Pivots exchanged;
                const size_t k = all.size();
                all.push_back(factor_lu(m, pivots != nullptr ? &exchanged : nullptr));
                store(placed(a, at), m);
                if (pivots != nullptr)
                    store(
                        pivots + k * static_cast<size_t>(n),
                        exchanged.data(),
                        exchanged.size() * sizeof(int),
                        "the pivots"
                    );
            }
            tell_infos(infos, all);
        });
    });
}

// `from` are factors, with pivots, or, where `factor` says so, matrices as they are.
int inverted(
    const char* function,
    const Handle* handle,
    int n,
    const Batch& from,
    const int* pivots,
    const Batch& to,
    int* infos,
    int count,
    bool factor
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_batch(from, n, count), require_batch(to, n, count);
        require_numbers(infos, count, "the infos");
        require(!factor || n <= kLargestInverse);
        if (pivots != nullptr) require_numbers(pivots, int64_t{n} * count, "the pivots");
        return submit(function, h->stream, When::at_once, [=] {
            const std::vector<const void*> sources = ::pointers(from, count), targets = ::pointers(to, count);
            std::vector<int> all;
            for (size_t k = 0; k < sources.size(); ++k) {
                Dense m = load(placed(from, sources[k]), n, n), out = identity(n);
                Pivots exchanged;
                if (factor)
                    factor_lu(m, &exchanged);
                else
                    exchanged = pivots_of(pivots, n, k);
                all.push_back(singular_at(m));
                if (all.back() != 0) continue;
                solve_lu(m, exchanged, false, out);
                require_matrix(placed(to, targets[k]), n, n);
                store(placed(to, targets[k]), out);
            }
            tell_infos(infos, all);
        });
    });
}

// `info` is of the host, and says which argument is wrong.
int solved(
    const char* function,
    const Handle* handle,
    int operation,
    int n,
    int columns,
    const Batch& a,
    const int* pivots,
    const Batch& b,
    int* info,
    int count
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_operation(operation), require(columns >= 0);
        require_batch(a, n, count), require_batch(b, n, count);
        if (pivots != nullptr) require_numbers(pivots, int64_t{n} * count, "the pivots");
        give(info, 0);
        return submit(function, h->stream, When::at_once, [=] {
            const std::vector<const void*> factors = ::pointers(a, count), right = ::pointers(b, count);
            for (size_t k = 0; k < factors.size(); ++k) {
                Dense x = load(placed(b, right[k]), n, columns);
                solve_lu(load(placed(a, factors[k]), n, n), pivots_of(pivots, n, k), operation != 0, x);
                store(placed(b, right[k]), x);
            }
        });
    });
}

struct Shape {
    int transpose_a, transpose_b, m, n, k;
};

int multiplied(
    const char* function,
    const Handle* handle,
    const Shape& s,
    const void* alpha,
    const Batch& a,
    const Batch& b,
    const void* beta,
    const Batch& c,
    int count
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_operation(s.transpose_a), require_operation(s.transpose_b);
        require(s.m >= 0 && s.n >= 0 && s.k >= 0);
        require_batch(a, s.transpose_a != 0 ? s.k : s.m, count), require_batch(c, s.m, count);
        require_batch(b, s.transpose_b != 0 ? s.n : s.k, count);
        const int type = c.is_double ? kF64 : kF32;
        Product p;
        p.m = s.m, p.n = s.n, p.k = s.k, p.alpha = wl::cublas::scalar(alpha, type);
        p.beta = wl::cublas::scalar(beta, type), p.type = type, p.ld = c.ld;
        return submit(function, h->stream, When::at_once, [=] {
            const std::vector<const void*> lefts = ::pointers(a, count), rights = ::pointers(b, count),
                                           results = ::pointers(c, count);
            for (size_t k = 0; k < lefts.size(); ++k) {
                Product one = p;
                one.a = {lefts[k], type, a.ld, s.transpose_a != 0};
                one.b = {rights[k], type, b.ld, s.transpose_b != 0};
                one.c = {results[k], type, c.ld, false}, one.d = const_cast<void*>(results[k]);
                multiply_now(one);
            }
        });
    });
}

}  // namespace

extern "C" {

#define WL_BATCHED(S, kDouble)                                                                       \
    int cublas##S##getrfBatched(                                                                     \
        const Handle* handle, int n, void* const* a, int lda, int* pivots, int* infos, int count     \
    ) {                                                                                              \
        const char* const function = "cublas" #S "getrfBatched";                                     \
        return factored(function, handle, n, {a, lda, kDouble}, pivots, infos, count);               \
    }                                                                                                \
    int cublas##S##getriBatched(                                                                     \
        const Handle* handle,                                                                        \
        int n,                                                                                       \
        const void* const* a,                                                                        \
        int lda,                                                                                     \
        const int* pivots,                                                                           \
        void* const* c,                                                                              \
        int ldc,                                                                                     \
        int* infos,                                                                                  \
        int count                                                                                    \
    ) {                                                                                              \
        const Batch to{c, ldc, kDouble, "C"};                                                        \
        const char* const function = "cublas" #S "getriBatched";                                     \
        return inverted(function, handle, n, {a, lda, kDouble}, pivots, to, infos, count, false);    \
    }                                                                                                \
    int cublas##S##matinvBatched(                                                                    \
        const Handle* handle,                                                                        \
        int n,                                                                                       \
        const void* const* a,                                                                        \
        int lda,                                                                                     \
        void* const* c,                                                                              \
        int ldc,                                                                                     \
        int* infos,                                                                                  \
        int count                                                                                    \
    ) {                                                                                              \
        const Batch to{c, ldc, kDouble, "C"};                                                        \
        const char* const function = "cublas" #S "matinvBatched";                                    \
        return inverted(function, handle, n, {a, lda, kDouble}, nullptr, to, infos, count, true);    \
    }                                                                                                \
    int cublas##S##getrsBatched(                                                                     \
        const Handle* handle,                                                                        \
        int operation,                                                                               \
        int n,                                                                                       \
        int columns,                                                                                 \
        const void* const* a,                                                                        \
        int lda,                                                                                     \
        const int* pivots,                                                                           \
        void* const* b,                                                                              \
        int ldb,                                                                                     \
        int* info,                                                                                   \
        int count                                                                                    \
    ) {                                                                                              \
        const Batch right{b, ldb, kDouble, "B"};                                                     \
        const char* const function = "cublas" #S "getrsBatched";                                     \
        return solved(                                                                               \
            function, handle, operation, n, columns, {a, lda, kDouble}, pivots, right, info, count   \
        );                                                                                           \
    }                                                                                                \
    int cublas##S##gemmBatched(                                                                      \
        const Handle* handle,                                                                        \
        int ta,                                                                                      \
        int tb,                                                                                      \
        int m,                                                                                       \
        int n,                                                                                       \
        int k,                                                                                       \
        const void* alpha,                                                                           \
        const void* const* a,                                                                        \
        int lda,                                                                                     \
        const void* const* b,                                                                        \
        int ldb,                                                                                     \
        const void* beta,                                                                            \
        void* const* c,                                                                              \
        int ldc,                                                                                     \
        int count                                                                                    \
    ) {                                                                                              \
        const Batch left{a, lda, kDouble}, right{b, ldb, kDouble, "B"}, to{c, ldc, kDouble, "C"};    \
        const char* const function = "cublas" #S "gemmBatched";                                      \
        return multiplied(function, handle, {ta, tb, m, n, k}, alpha, left, right, beta, to, count); \
    }
WL_BATCHED(S, false)
WL_BATCHED(D, true)
#undef WL_BATCHED
}
