// cuBLAS: batches by pointers, BLAS 1 and 2, and the first API, each beside FP64; by a word of the command
// line wrong calls.
#include "device.h"

#include <algorithm>
#include <cstring>
#include <memory>
// What cublas_v2.h and cublas.h declare, which cannot be read together.
struct cublasContext;
using cublasHandle_t = cublasContext*;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
extern "C" {
int cublasCreate_v2(cublasHandle_t*);
int cublasDestroy_v2(cublasHandle_t);
int cublasSetStream_v2(cublasHandle_t, cudaStream_t);
int cublasSetMatrix(int, int, int, const void*, int, void*, int);
int cublasGetVector(int, int, const void*, int, void*, int);
int cublasCherk_v2(
    cublasHandle_t, int, int, int, int, const float*, const void*, int, const float*, void*, int
);
#define WL_TODAY(S, I, T)                                                                             \
    int cublas##S##gemm_v2(                                                                           \
        cublasHandle_t,                                                                               \
        cublasOperation_t,                                                                            \
        cublasOperation_t,                                                                            \
        int,                                                                                          \
        int,                                                                                          \
        int,                                                                                          \
        const T*,                                                                                     \
        const T*,                                                                                     \
        int,                                                                                          \
        const T*,                                                                                     \
        int,                                                                                          \
        const T*,                                                                                     \
        T*,                                                                                           \
        int                                                                                           \
    );                                                                                                \
    int cublas##S##gemv_v2(                                                                           \
        cublasHandle_t,                                                                               \
        cublasOperation_t,                                                                            \
        int,                                                                                          \
        int,                                                                                          \
        const T*,                                                                                     \
        const T*,                                                                                     \
        int,                                                                                          \
        const T*,                                                                                     \
        int,                                                                                          \
        const T*,                                                                                     \
        T*,                                                                                           \
        int                                                                                           \
    );                                                                                                \
    int cublas##S##ger_v2(cublasHandle_t, int, int, const T*, const T*, int, const T*, int, T*, int); \
    int cublas##S##axpy_v2(cublasHandle_t, int, const T*, const T*, int, T*, int);                    \
    int cublas##S##scal_v2(cublasHandle_t, int, const T*, T*, int);                                   \
    int cublas##S##copy_v2(cublasHandle_t, int, const T*, int, T*, int);                              \
    int cublas##S##swap_v2(cublasHandle_t, int, T*, int, T*, int);                                    \
    int cublas##S##dot_v2(cublasHandle_t, int, const T*, int, const T*, int, T*);                     \
    int cublas##S##nrm2_v2(cublasHandle_t, int, const T*, int, T*);                                   \
    int cublas##S##asum_v2(cublasHandle_t, int, const T*, int, T*);                                   \
    int cublas##I##amax_v2(cublasHandle_t, int, const T*, int, int*);                                 \
    int cublas##I##amin_v2(cublasHandle_t, int, const T*, int, int*);                                 \
    int cublas##S##getrfBatched(cublasHandle_t, int, T* const*, int, int*, int*, int);                \
    int cublas##S##getriBatched(                                                                      \
        cublasHandle_t, int, const T* const*, int, const int*, T* const*, int, int*, int              \
    );                                                                                                \
    int cublas##S##matinvBatched(cublasHandle_t, int, const T* const*, int, T* const*, int, int*, int);
WL_TODAY(S, Is, float)
WL_TODAY(D, Id, double)
#undef WL_TODAY

int cublasInit();
int cublasShutdown();
int cublasGetError();
int cublasAlloc(int, int, void**);
int cublasFree(void*);
#define WL_FIRST(S, I, T)                                                              \
    T cublas##S##dot(int, const T*, int, const T*, int);                               \
    T cublas##S##nrm2(int, const T*, int);                                             \
    int cublas##I##amax(int, const T*, int);                                           \
    void cublas##S##axpy(int, T, const T*, int, T*, int);                              \
    void cublas##S##gemv(char, int, int, T, const T*, int, const T*, int, T, T*, int); \
    void cublas##S##gemm(char, char, int, int, int, T, const T*, int, const T*, int, T, T*, int);
WL_FIRST(S, Is, float)
WL_FIRST(D, Id, double)
#undef WL_FIRST
}

namespace {

// By the type, as the functions have names for it.
#define WL_CALLS(S, I, T)                                         \
    constexpr auto gemv(T) { return cublas##S##gemv_v2; }         \
    constexpr auto ger(T) { return cublas##S##ger_v2; }           \
    constexpr auto axpy(T) { return cublas##S##axpy_v2; }         \
    constexpr auto scal(T) { return cublas##S##scal_v2; }         \
    constexpr auto copy(T) { return cublas##S##copy_v2; }         \
    constexpr auto swap(T) { return cublas##S##swap_v2; }         \
    constexpr auto dot(T) { return cublas##S##dot_v2; }           \
    constexpr auto nrm2(T) { return cublas##S##nrm2_v2; }         \
    constexpr auto asum(T) { return cublas##S##asum_v2; }         \
    constexpr auto amax(T) { return cublas##I##amax_v2; }         \
    constexpr auto amin(T) { return cublas##I##amin_v2; }         \
    constexpr auto getrf(T) { return cublas##S##getrfBatched; }   \
    constexpr auto getri(T) { return cublas##S##getriBatched; }   \
    constexpr auto matinv(T) { return cublas##S##matinvBatched; } \
    constexpr auto first_dot(T) { return cublas##S##dot; }        \
    constexpr auto first_nrm2(T) { return cublas##S##nrm2; }      \
    constexpr auto first_amax(T) { return cublas##I##amax; }      \
    constexpr auto first_axpy(T) { return cublas##S##axpy; }      \
    constexpr auto first_gemv(T) { return cublas##S##gemv; }      \
    constexpr auto first_gemm(T) { return cublas##S##gemm; }
WL_CALLS(S, Is, float)
WL_CALLS(D, Id, double)
#undef WL_CALLS

constexpr int kN = 5, kLead = 6, kBatch = 3;

double entry(int k, int r, int c) { return std::cos(k + 3.0 * r + c * c) + (r == (c + 2) % kN ? 4 : 0); }

// --- batches

template <class T>
struct Batch {
    OnDevice<T> values;
    OnDevice<T*> pointers;

    static std::vector<T*> addresses(T* at) {
        std::vector<T*> out;
        for (int k = 0; k < kBatch; ++k) out.push_back(at + k * kLead * kN);
        return out;
    }
    explicit Batch(const std::vector<T>& all) : values(all), pointers(addresses(values.at)) {}
};

template <class T>
std::vector<T> matrices() {
    std::vector<T> out(kBatch * kLead * kN, T(7));
    for (int k = 0; k < kBatch; ++k)
        for (int c = 0; c < kN; ++c)
            for (int r = 0; r < kN; ++r)
                out[static_cast<size_t>((k * kN + c) * kLead + r)] = static_cast<T>(entry(k, r, c));
    return out;
}

// Are they inverses of what was there?
template <class T>
bool are_inverses(const std::vector<T>& of) {
    bool out = true;
    for (int k = 0; k < kBatch; ++k)
        for (int r = 0; r < kN; ++r)
            for (int c = 0; c < kN; ++c) {
                double sum = 0;
                for (int l = 0; l < kN; ++l)
                    sum +=
                        double(T(entry(k, r, l))) * double(of[static_cast<size_t>((k * kN + c) * kLead + l)]);
                out = out && std::abs(sum - (r == c ? 1 : 0)) < (sizeof(T) == 4 ? 1e-5 : 1e-13);
            }
    return out && of[kLead - 1] == T(7);  // what lies between stays
}

template <class T>
void batches(cublasHandle_t h, Count& count) {
    const Batch<T> a(matrices<T>()), inverse(matrices<T>()), other(matrices<T>()), same(matrices<T>());
    const OnDevice<int> pivots{std::vector<int>(kBatch * kN)}, infos{std::vector<int>(kBatch, 99)};
    int status = int(getrf(T{})(h, kN, a.pointers.at, kLead, pivots.at, infos.at, kBatch));
    count.add(status == 0 && infos.back() == std::vector<int>(kBatch, 0) && pivots.back()[0] == 3);
    status =
        int(getri(T{})(h, kN, a.pointers.at, kLead, pivots.at, inverse.pointers.at, kLead, infos.at, kBatch));
    count.add(status == 0 && are_inverses(inverse.values.back()));
    status = int(matinv(T{})(h, kN, same.pointers.at, kLead, other.pointers.at, kLead, infos.at, kBatch));
    count.add(status == 0 && are_inverses(other.values.back()));
    // Without pivots, and one that has no inverse.
    std::vector<T> plain(kBatch * kLead * kN, T(0));
    for (int k = 0; k < kBatch - 1; ++k)
        for (int r = 0; r < kN; ++r) plain[static_cast<size_t>((k * kN + r) * kLead + r)] = T(2);
    const Batch<T> diagonal(plain);
    status = int(getrf(T{})(h, kN, diagonal.pointers.at, kLead, nullptr, infos.at, kBatch));
    count.add(status == 0 && infos.back() == std::vector<int>{0, 0, 1});
    const Batch<T> to(matrices<T>());
    status =
        int(getri(T{})(h, kN, diagonal.pointers.at, kLead, nullptr, to.pointers.at, kLead, infos.at, kBatch));
    const std::vector<T> inverses = to.values.back();
    count.add(
        status == 0 && infos.back() == std::vector<int>{0, 0, 1} && inverses[0] == T(0.5) &&
        inverses[2 * kN * kLead] == T(entry(2, 0, 0))
    );
}

// --- BLAS 1 and 2

template <class T>
void vectors(cublasHandle_t h, Count& count) {
    // Elements 0, 2, 4 of x; y from its end to its begin.
    const OnDevice<T> x(std::vector<T>{3, 99, -4, 99, 1}), y(std::vector<T>{10, 20, 30}),
        to(std::vector<T>(3));
    const OnDevice<T> on_device(std::vector<T>{0});
    const T two = 2, half = T(0.5);
    T number = 0;
    int at = 0;
    // The call comes before its numbers are looked at.
    const auto ok = [&](int status, auto right) { count.add(status == 0 && right()); };
    ok(int(dot(T{})(h, 3, x.at, 2, y.at, -1, &number)), [&] { return number == 3 * 30 - 4 * 20 + 10; });
    ok(int(dot(T{})(h, 3, x.at, 2, y.at, 1, on_device.at)),
       [&] { return on_device.back()[0] == 3 * 10 - 4 * 20 + 30; });
    ok(int(nrm2(T{})(h, 3, x.at, 2, &number)), [&] { return std::abs(number - std::sqrt(T(26))) < T(1e-6); });
    ok(int(asum(T{})(h, 3, x.at, 2, &number)), [&] { return number == 8; });
    ok(int(amax(T{})(h, 3, x.at, 2, &at)), [&] { return at == 2; });
    ok(int(amin(T{})(h, 3, x.at, 2, &at)), [&] { return at == 3; });
    ok(int(amax(T{})(h, 0, x.at, 2, &at)), [&] { return at == 0; });
    ok(int(axpy(T{})(h, 3, &two, x.at, 2, y.at, 1)), [&] { return y.back() == std::vector<T>{16, 12, 32}; });
    ok(int(copy(T{})(h, 3, x.at, 2, to.at, -1)), [&] { return to.back() == std::vector<T>{1, -4, 3}; });
    ok(int(swap(T{})(h, 3, y.at, 1, to.at, 1)), [&] { return to.back() == std::vector<T>{16, 12, 32}; });
    ok(int(scal(T{})(h, 3, &half, to.at, 1)), [&] { return to.back() == std::vector<T>{8, 6, 16}; });
    // A of 2 x 3 by columns, with room.
    const OnDevice<T> a(std::vector<T>{1, 2, 7, 3, 4, 7, 5, 6, 7}), u(std::vector<T>{1, 1}),
        v(std::vector<T>{1, 0, 2});
    ok(int(gemv(T{})(h, CUBLAS_OP_N, 2, 3, &two, a.at, 3, v.at, 1, &half, u.at, 1)), [&] {
        return u.back() == std::vector<T>{T(22.5), T(28.5)};
    });
    ok(int(gemv(T{})(h, CUBLAS_OP_T, 2, 3, &two, a.at, 3, u.at, -1, &half, v.at, 1)), [&] {
        return v.back() == std::vector<T>{T(147.5), 351, 556};
    });
    ok(int(ger(T{})(h, 2, 3, &two, y.at, 1, to.at, 1, a.at, 3)), [&] {
        return a.back() == std::vector<T>{17, -62, 7, 15, -44, 7, 37, -122, 7};
    });
    // What is freed before anybody looks was there when it was read.
    auto gone = std::make_unique<OnDevice<T>>(std::vector<T>{1, 2});
    const OnDevice<T> kept(std::vector<T>{5, 5});
    const int status = int(axpy(T{})(h, 2, &two, gone->at, 1, kept.at, 1));
    gone.reset();
    ok(status, [&] { return kept.back() == std::vector<T>{7, 9}; });
}

// --- the first API

template <class T>
void first(Count& count) {
    void* memory = nullptr;
    const auto ok = [&](bool right) { count.add(cublasGetError() == 0 && right); };
    ok(cublasAlloc(6, sizeof(T), &memory) == 0);
    T* const a = static_cast<T*>(memory);
    const std::vector<T> rows{1, 2, 3, 4, 5, 6};
    ok(int(cublasSetMatrix(2, 3, sizeof(T), rows.data(), 2, a, 2)) == 0);
    const OnDevice<T> x(std::vector<T>{3, -4}), y(std::vector<T>{1, 1, 1}), c(std::vector<T>(4, T(10)));
    ok(first_nrm2(T{})(2, x.at, 1) == 5);
    ok(first_dot(T{})(2, x.at, 1, a, 1) == 3 - 8);
    ok(first_amax(T{})(2, x.at, 1) == 2);
    first_axpy(T{})(2, 2, x.at, 1, y.at, 1);
    ok(y.back() == std::vector<T>{7, -7, 1});
    first_gemv(T{})('T', 2, 3, 1, a, 2, x.at, 1, 0, y.at, 1);
    ok(y.back() == std::vector<T>{-5, -7, -9});
    first_gemm(T{})('n', 't', 2, 2, 3, 1, a, 2, a, 2, 2, c.at, 2);  // A A^T + 2 C
    ok(c.back() == std::vector<T>{55, 64, 64, 76});
    std::vector<T> back(2);
    ok(int(cublasGetVector(2, sizeof(T), c.at, 2, back.data(), 1)) == 0 && back[1] == 64);
    ok(cublasFree(memory) == 0);
}

void right(cublasHandle_t h) {
    Count of_batches, of_vectors, of_first;
    batches<float>(h, of_batches), batches<double>(h, of_batches);
    vectors<float>(h, of_vectors), vectors<double>(h, of_vectors);
    of_batches.say("batches"), of_vectors.say("vectors");
    say("before cublasInit", (first_nrm2(1.0)(1, nullptr, 1), cublasGetError()));
    cublasInit();
    first<float>(of_first), first<double>(of_first);
    of_first.say("first API");
    first_gemm(1.0)('?', 'n', 2, 2, 2, 1, nullptr, 2, nullptr, 2, 0, nullptr, 2);
    const int once = cublasGetError();
    std::printf("no operation in the first API: %d, then %d\n", once, cublasGetError());
    say("shutdown", cublasShutdown());
}

int gemm(cublasHandle_t h, int m, int lda, float* a, const float* alpha, int op = 0) {
    const OnDevice<float> b(std::vector<float>(16, 1)), c(std::vector<float>(16, 1));
    const auto how = static_cast<cublasOperation_t>(op);
    return int(cublasSgemm_v2(h, how, CUBLAS_OP_N, m, 4, 4, alpha, a, lda, b.at, 4, alpha, c.at, 4));
}

void wrong(cublasHandle_t h) {
    const OnDevice<float> a(std::vector<float>(16, 1));
    const OnDevice<float*> pointers({a.at, static_cast<float*>(wild())});
    const OnDevice<int> infos{std::vector<int>(8)}, pivots{std::vector<int>(8)};
    const float one = 1;
    auto* const nowhere = static_cast<float*>(wild());
    const auto none = static_cast<cublasHandle_t>(wild());
    say("as it should be", gemm(h, 4, 4, a.at, &one));
    say("m below 0", gemm(h, -4, 4, a.at, &one));
    say("lda below m", gemm(h, 4, 3, a.at, &one));
    say("no operation", gemm(h, 4, 4, a.at, &one, 9));
    say("a wild matrix", gemm(h, 4, 4, nowhere, &one));
    say("freed memory", gemm(h, 4, 4, static_cast<float*>(freed()), &one));
    say("no factor", gemm(h, 4, 4, a.at, nullptr));
    say("a wild factor", gemm(h, 4, 4, a.at, nowhere));
    say("a wild handle", gemm(none, 4, 4, a.at, &one));
    say("no handle", int(cublasSetStream_v2(nullptr, nullptr)));
    say("nowhere to put it", int(cublasCreate_v2(nullptr)));
    say("a batch below 0", int(cublasSgetrfBatched(h, 2, pointers.at, 2, pivots.at, infos.at, -1)));
    say("a wild matrix of a batch", int(cublasSgetrfBatched(h, 2, pointers.at, 2, pivots.at, infos.at, 2)));
    say("too large an inverse",
        int(cublasSmatinvBatched(h, 33, pointers.at, 33, pointers.at, 33, infos.at, 1)));
    say("steps of 0", int(cublasSaxpy_v2(h, 4, &one, a.at, 0, a.at, 1)));
    say("not there", int(cublasCherk_v2(h, {}, {}, 1, 1, &one, nullptr, 1, &one, nullptr, 1)));
}

}  // namespace

int main(int argc, char**) {
    cublasHandle_t handle = nullptr;
    say("create", int(cublasCreate_v2(&handle)));
    argc > 1 ? wrong(handle) : right(handle);
    say("destroy", int(cublasDestroy_v2(handle)));
    return 0;
}
