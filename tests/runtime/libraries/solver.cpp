// cuSOLVER's potrf, potrs, getrf and getrs, beside the system that they solve; by a word of the command line
// wrong calls.
#include "device.h"

#ifdef WL_HEADERS  // those of a whole toolkit; without them what they declare
#include <cusolverDn.h>
#else
struct cusolverDnContext;
using cusolverDnHandle_t = cusolverDnContext*;
enum cublasFillMode_t {};
enum cublasOperation_t {};
extern "C" {
int cusolverDnCreate(cusolverDnHandle_t*);
int cusolverDnDestroy(cusolverDnHandle_t);
int cusolverDnSgeqrf_bufferSize(cusolverDnHandle_t, int, int, float*, int, int*);
#define WL_DENSE(S, T)                                                                                      \
    int cusolverDn##S##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, int*);          \
    int cusolverDn##S##potrf(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, T*, int, int*);            \
    int cusolverDn##S##potrs(cusolverDnHandle_t, cublasFillMode_t, int, int, const T*, int, T*, int, int*); \
    int cusolverDn##S##getrf_bufferSize(cusolverDnHandle_t, int, int, T*, int, int*);                       \
    int cusolverDn##S##getrf(cusolverDnHandle_t, int, int, T*, int, T*, int*, int*);                        \
    int cusolverDn##S##getrs(cusolverDnHandle_t, cublasOperation_t, int, int, const T*, int, const int*, T*, int, int*);
WL_DENSE(S, float)
WL_DENSE(D, double)
#undef WL_DENSE
}
#endif

namespace {

constexpr int kN = 6, kColumns = 2, kLead = 8;

// By the type, as the functions have names for it.
#define WL_CALLS(S, T)                                                                                       \
    int potrf_size(cusolverDnHandle_t h, int fill, T* a, int* size) {                                        \
        return int(                                                                                          \
            cusolverDn##S##potrf_bufferSize(h, static_cast<cublasFillMode_t>(fill), kN, a, kLead, size)      \
        );                                                                                                   \
    }                                                                                                        \
    int potrf(cusolverDnHandle_t h, int fill, int n, T* a, int lda, T* work, int size, int* info) {          \
        return int(cusolverDn##S##potrf(h, static_cast<cublasFillMode_t>(fill), n, a, lda, work, size, info) \
        );                                                                                                   \
    }                                                                                                        \
    int potrs(cusolverDnHandle_t h, int fill, const T* a, T* b, int* info) {                                 \
        const auto triangle = static_cast<cublasFillMode_t>(fill);                                           \
        return int(cusolverDn##S##potrs(h, triangle, kN, kColumns, a, kLead, b, kLead, info));               \
    }                                                                                                        \
    int getrf_size(cusolverDnHandle_t h, T* a, int* size) {                                                  \
        return int(cusolverDn##S##getrf_bufferSize(h, kN, kN, a, kLead, size));                              \
    }                                                                                                        \
    int getrf(cusolverDnHandle_t h, int m, int n, T* a, T* work, int* pivots, int* info) {                   \
        return int(cusolverDn##S##getrf(h, m, n, a, kLead, work, pivots, info));                             \
    }                                                                                                        \
    int getrs(cusolverDnHandle_t h, int op, const T* a, const int* pivots, T* b, int* info) {                \
        const auto how = static_cast<cublasOperation_t>(op);                                                 \
        return int(cusolverDn##S##getrs(h, how, kN, kColumns, a, kLead, pivots, b, kLead, info));            \
    }
WL_CALLS(S, float)
WL_CALLS(D, double)
#undef WL_CALLS

// Positive definite where `symmetric`, else such that rows have to be exchanged.
double entry(int r, int c, bool symmetric) {
    if (symmetric) return (r == c ? kN : 0) + 1.0 / (1 + r + c);
    return std::cos(r * 5.0 + c * c) + (r == (c + 1) % kN ? 3 : 0);
}
double solution(int r, int c) { return r - 2.5 * c + 0.5; }

template <class T>
std::vector<T> matrix(bool symmetric, int fill) {
    std::vector<T> out(kLead * kN, T(7));
    for (int c = 0; c < kN; ++c)
        for (int r = 0; r < kN; ++r)  // the other triangle is not looked at
            if (!symmetric || (fill == 0 ? r >= c : r <= c))
                out[static_cast<size_t>(c * kLead + r)] = static_cast<T>(entry(r, c, symmetric));
    return out;
}

template <class T>
std::vector<T> right_side(bool symmetric, bool transposed) {
    std::vector<T> out(kLead * kColumns, T(7));
    for (int j = 0; j < kColumns; ++j)
        for (int r = 0; r < kN; ++r) {
            double sum = 0;
            for (int c = 0; c < kN; ++c)
                sum += (transposed ? entry(c, r, symmetric) : entry(r, c, symmetric)) * solution(c, j);
            out[static_cast<size_t>(j * kLead + r)] = static_cast<T>(sum);
        }
    return out;
}

std::vector<double> expected() {
    std::vector<double> out(kLead * kColumns, 7);
    for (int j = 0; j < kColumns; ++j)
        for (int r = 0; r < kN; ++r) out[static_cast<size_t>(j * kLead + r)] = solution(r, j);
    return out;
}

// What the system loses by its condition, beyond rounding.
template <class T>
bool solves(const OnDevice<T>& b) {
    std::vector<double> got;
    const std::vector<T> back = b.back();
    const std::vector<double> should = expected();
    bool out = true;
    for (size_t k = 0; k < back.size(); ++k)
        out = out && std::abs(double(back[k]) - should[k]) < (sizeof(T) == 4 ? 1e-4 : 1e-12);
    return out;
}

template <class T>
bool by_cholesky(cusolverDnHandle_t h, int fill) {
    const OnDevice<T> a(matrix<T>(true, fill)), b(right_side<T>(true, false));
    const OnDevice<int> info({99});
    int size = 0;
    bool out = potrf_size(h, fill, a.at, &size) == 0 && size > 0;
    const OnDevice<T> work{std::vector<T>(static_cast<size_t>(size))};
    out = out && potrf(h, fill, kN, a.at, kLead, work.at, size, info.at) == 0 && info.back()[0] == 0;
    const std::vector<T> factor = a.back();  // the other triangle stays
    const size_t other = fill == 0 ? kLead * 3 + 1 : kLead + 3;
    out = out && factor[other] == T(7);
    return out && potrs(h, fill, a.at, b.at, info.at) == 0 && solves(b);
}

template <class T>
bool by_lu(cusolverDnHandle_t h, int op) {
    const OnDevice<T> a(matrix<T>(false, 0)), b(right_side<T>(false, op != 0));
    const OnDevice<int> info({99}), pivots{std::vector<int>(kN)};
    int size = 0;
    bool out = getrf_size(h, a.at, &size) == 0 && size > 0;
    const OnDevice<T> work{std::vector<T>(static_cast<size_t>(size))};
    out = out && getrf(h, kN, kN, a.at, work.at, pivots.at, info.at) == 0 && info.back()[0] == 0;
    out = out && pivots.back()[0] == 2;  // the largest of the first column
    return out && getrs(h, op, a.at, pivots.at, b.at, info.at) == 0 && solves(b);
}

// A matrix that has no factor says where.
void infos(cusolverDnHandle_t h) {
    std::vector<float> indefinite = matrix<float>(true, 0), singular = matrix<float>(false, 0);
    indefinite[kLead * 3 + 3] = -1;
    for (int r = 0; r < kN; ++r) singular[static_cast<size_t>(r)] = 0;
    const OnDevice<float> a(indefinite), s(singular), work{std::vector<float>(64)};
    const OnDevice<int> info({99}), pivots{std::vector<int>(kN)};
    potrf(h, 0, kN, a.at, kLead, work.at, 64, info.at);
    std::printf("not positive definite: info %d\n", info.back()[0]);
    getrf(h, kN, kN, s.at, work.at, pivots.at, info.at);
    std::printf("singular: info %d\n", info.back()[0]);
}

void right(cusolverDnHandle_t h) {
    Count cholesky, lu;
    for (const int way : {0, 1}) {
        cholesky.add(by_cholesky<float>(h, way)), cholesky.add(by_cholesky<double>(h, way));
        lu.add(by_lu<float>(h, way)), lu.add(by_lu<double>(h, way));
    }
    cholesky.say("potrf and potrs"), lu.say("getrf and getrs");
    infos(h);
}

void wrong(cusolverDnHandle_t h) {
    const OnDevice<float> a(matrix<float>(true, 0)), work{std::vector<float>(64)};
    const OnDevice<int> info({0}), pivots{std::vector<int>(kN)};
    const auto none = static_cast<cusolverDnHandle_t>(wild());
    auto* const nowhere = static_cast<float*>(wild());
    say("as it should be", potrf(h, 0, kN, a.at, kLead, work.at, 64, info.at));
    say("n below 0", potrf(h, 0, -1, a.at, kLead, work.at, 64, info.at));
    say("lda below n", potrf(h, 0, kN, a.at, kN - 1, work.at, 64, info.at));
    say("no triangle", potrf(h, 9, kN, a.at, kLead, work.at, 64, info.at));
    say("no operation", getrs(h, 9, a.at, pivots.at, work.at, info.at));
    say("pivots that are no rows", getrs(h, 0, a.at, pivots.at, work.at, info.at));
    say("more rows than there are", getrf(h, kN, 400, a.at, work.at, pivots.at, info.at));
    say("a wild address", potrf(h, 0, kN, nowhere, kLead, work.at, 64, info.at));
    say("no info", potrf(h, 0, kN, a.at, kLead, work.at, 64, nullptr));
    say("a wild handle", potrf(none, 0, kN, a.at, kLead, work.at, 64, info.at));
    say("nowhere to put it", int(cusolverDnCreate(nullptr)));
    int size = 0;
    say("not there", int(cusolverDnSgeqrf_bufferSize(h, kN, kN, a.at, kLead, &size)));
}

}  // namespace

int main(int argc, char**) {
    cusolverDnHandle_t handle = nullptr;
    say("create", int(cusolverDnCreate(&handle)));
    argc > 1 ? wrong(handle) : right(handle);
    say("destroy", int(cusolverDnDestroy(handle)));
    return 0;
}
