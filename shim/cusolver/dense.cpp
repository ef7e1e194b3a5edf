// cuSOLVER's dense functions potrf, potrs, getrf and getrs, in S and D. Everything is done in FP64 and
// rounded once. Enumerations are passed as the ints that they are.
#include "shim/libraries/dense.h"

#include "shim/libraries/calls.h"

#include <algorithm>

namespace wl::libraries {

// cusolverStatus_t
const Statuses kStatuses{
    .no_handle = 1, .no_memory = 2, .invalid = 3, .failed = 6, .internal = 7, .not_supported = 9};

}  // namespace wl::libraries

using namespace wl::libraries;

namespace {

struct Handle {
    void* stream = nullptr;
};

Handles<Handle>& handles() {
    static auto* const kAll = new Handles<Handle>;
    return *kAll;
}

constexpr int kNotInitialized = 1, kUpper = 1, kVersion = 12003;  // of CUDA 13.0

void require_triangle(int uplo) { require(uplo == 0 || uplo == kUpper); }

void require_info(const int* info) { require_memory(info, 1, sizeof(int), "the info"); }
void tell_info(int* info, int value) { store(info, &value, sizeof value, "the info"); }

int sized(const Handle* handle, const Placed& a, int64_t rows, int64_t cols, int* elements) {
    return answered([&] {
        handles().at(handle);
        require(rows >= 0 && cols >= 0 && a.ld >= std::max<int64_t>(rows, 1));
        give(elements, 1);
        return 0;
    });
}

struct Square {
    Placed place;
    int64_t n = 0;
};

int cholesky(const char* function, const Handle* handle, int uplo, const Square& a, int* info) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_triangle(uplo), require_matrix(a.place, a.n, a.n), require_info(info);
        return submit(function, h->stream, When::at_once, [=] {
            Dense m = load(a.place, a.n, a.n);
            const int failed = factor_cholesky(m, uplo == kUpper);
            store(a.place, m);
            tell_info(info, failed);
        });
    });
}

int cholesky_solve(
    const char* function,
    const Handle* handle,
    int uplo,
    const Square& a,
    const Placed& b,
    int64_t columns,
    int* info
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_triangle(uplo), require_matrix(a.place, a.n, a.n), require_matrix(b, a.n, columns);
        require_info(info);
        return submit(function, h->stream, When::at_once, [=] {
            Dense right = load(b, a.n, columns);
            solve_cholesky(load(a.place, a.n, a.n), uplo == kUpper, right);
            store(b, right);
            tell_info(info, 0);
        });
    });
}

// No pivots: rows are not exchanged.
int lu(
    const char* function,
    const Handle* handle,
    int64_t rows,
    int64_t cols,
    const Placed& a,
    int* pivots,
    int* info
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_matrix(a, rows, cols), require_info(info);
        if (pivots != nullptr) require_memory(pivots, std::min(rows, cols), sizeof(int), "the pivots");
        return submit(function, h->stream, When::at_once, [=] {
            Dense m = load(a, rows, cols);
            Pivots exchanged;
            const int failed = factor_lu(m, pivots != nullptr ? &exchanged : nullptr);
            store(a, m);
            if (pivots != nullptr)
                store(pivots, exchanged.data(), exchanged.size() * sizeof(int), "the pivots");
            tell_info(info, failed);
        });
    });
}

int lu_solve(
    const char* function,
    const Handle* handle,
    int operation,
    const Square& a,
    const int* pivots,
    const Placed& b,
    int64_t columns,
    int* info
) {
    return answered([&] {
        const auto h = handles().at(handle);
        require_operation(operation);
        require_matrix(a.place, a.n, a.n), require_matrix(b, a.n, columns), require_info(info);
        if (pivots != nullptr) require_memory(pivots, a.n, sizeof(int), "the pivots");
        return submit(function, h->stream, When::at_once, [=] {
            Dense right = load(b, a.n, columns);
            Pivots exchanged(static_cast<size_t>(a.n));
            for (int k = 0; k < a.n; ++k) exchanged[static_cast<size_t>(k)] = k + 1;
            if (pivots != nullptr) exchanged = fetched<int>(pivots, a.n, "the pivots");
            solve_lu(load(a.place, a.n, a.n), exchanged, operation != 0, right);
            store(b, right);
            tell_info(info, 0);
        });
    });
}

Placed placed(const void* at, int ld, bool is_double, const char* what = "A") {
    return {const_cast<void*>(at), ld, is_double, what};
}

}  // namespace

extern "C" {

int cusolverDnCreate(Handle** out) {
    return answered([&] {
        if (!has_device()) return kNotInitialized;
        give(out, static_cast<Handle*>(nullptr));
        give(out, handles().add({}));
        return 0;
    });
}

int cusolverDnDestroy(const Handle* handle) {
    return answered([&] {
        if (!handles().drop(handle)) return kNotInitialized;
        return 0;
    });
}

int cusolverDnSetStream(const Handle* handle, void* stream) {
    return answered([&] {
        handles().at(handle)->stream = stream;
        return 0;
    });
}

int cusolverDnGetStream(const Handle* handle, void** stream) {
    return answered([&] {
        give(stream, handles().at(handle)->stream);
        return 0;
    });
}

int cusolverGetVersion(int* version) {
    return answered([&] {
        give(version, kVersion);
        return 0;
    });
}

#define WL_DENSE(letter, kIsDouble)                                                                          \
    int cusolverDn##letter##potrf_bufferSize(                                                                \
        const Handle* handle, int uplo, int n, const void* a, int lda, int* elements                         \
    ) {                                                                                                      \
        if (uplo != 0 && uplo != kUpper) return kStatuses.invalid;                                           \
        return sized(handle, placed(a, lda, kIsDouble), n, n, elements);                                     \
    }                                                                                                        \
    int cusolverDn##letter##potrf(                                                                           \
        const Handle* handle,                                                                                \
        int uplo,                                                                                            \
        int n,                                                                                               \
        void* a,                                                                                             \
        int lda,                                                                                             \
        void* /*workspace*/,                                                                                 \
        int /*size*/,                                                                                        \
        int* info                                                                                            \
    ) {                                                                                                      \
        const Square square{placed(a, lda, kIsDouble), n};                                                   \
        return cholesky("cusolverDn" #letter "potrf", handle, uplo, square, info);                           \
    }                                                                                                        \
    int cusolverDn##letter##potrs(                                                                           \
        const Handle* handle, int uplo, int n, int nrhs, const void* a, int lda, void* b, int ldb, int* info \
    ) {                                                                                                      \
        const Square square{placed(a, lda, kIsDouble), n};                                                   \
        const Placed right = placed(b, ldb, kIsDouble, "B");                                                 \
        return cholesky_solve("cusolverDn" #letter "potrs", handle, uplo, square, right, nrhs, info);        \
    }                                                                                                        \
    int cusolverDn##letter##getrf_bufferSize(                                                                \
        const Handle* handle, int m, int n, const void* a, int lda, int* elements                            \
    ) {                                                                                                      \
        return sized(handle, placed(a, lda, kIsDouble), m, n, elements);                                     \
    }                                                                                                        \
    int cusolverDn##letter##getrf(                                                                           \
        const Handle* handle, int m, int n, void* a, int lda, void* /*workspace*/, int* pivots, int* info    \
    ) {                                                                                                      \
        return lu("cusolverDn" #letter "getrf", handle, m, n, placed(a, lda, kIsDouble), pivots, info);      \
    }                                                                                                        \
    int cusolverDn##letter##getrs(                                                                           \
        const Handle* handle,                                                                                \
        int operation,                                                                                       \
        int n,                                                                                               \
        int nrhs,                                                                                            \
        const void* a,                                                                                       \
        int lda,                                                                                             \
        const int* pivots,                                                                                   \
        void* b,                                                                                             \
        int ldb,                                                                                             \
        int* info                                                                                            \
    ) {                                                                                                      \
        const Square square{placed(a, lda, kIsDouble), n};                                                   \
        const Placed right = placed(b, ldb, kIsDouble, "B");                                                 \
        return lu_solve("cusolverDn" #letter "getrs", handle, operation, square, pivots, right, nrhs, info); \
    }
WL_DENSE(S, false)
WL_DENSE(D, true)
#undef WL_DENSE
}
