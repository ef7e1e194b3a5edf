// The kernel of the synthetic capture: its source, sites and probes, and its arithmetic in float or double.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace wl::testing {

constexpr int kRows = 64, kKeys = 64, kDim = 64, kIterations = 8, kWarps = 8, kBlocks = 64;
constexpr int kRowsOfWarp = kRows / kWarps;
constexpr float kFault = 32;

// Byte offsets in the block's shared window, and leading dimensions in elements.
constexpr uint64_t kS = 46080, kO = 62464, kM = 80896, kL = 81152, kAlpha = 81408, kShared = 81664;
constexpr int kLdS = kKeys, kLdO = kDim + 8;

constexpr const char* kSourceText =
    R"(// Streaming attention over KV tiles, one warp a stripe of 8 query rows.
#include "warplens.cuh"
__device__ float warp_reduce_sum(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffff, v, offset);
    return v;
}
extern "C" __global__ void attention(const half* Q, const half* K, const half* V, half* O) {
    WL_STAGE("scores");
    S[row * 64 + key] = scale * dot(Q, K, row, key);
    WL_TILE("scores", S, 64, 64, 64);
    __syncthreads();
    WL_STAGE("softmax");
    S[row * 64 + key] = masked(S[row * 64 + key], row, key);
    WL_TILE("masked", S, 64, 64, 64);
    m[row] = m_new;
    WL_TILE("m", m, 64, 1, 1);
    alpha[row] = __expf(m_old - m_new);
    WL_TILE("alpha", alpha, 64, 1, 1);
    S[row * 64 + key] = __expf(S[row * 64 + key] - m_new);
    WL_TILE("P", S, 64, 64, 64);
    for (int key = 0; key < 64; ++key) l_add += S[row * 64 + key];
    l_add = warp_reduce_sum(l_add);
    l[row] = alpha[row] * l[row] + l_add;
    WL_TILE("l", l, 64, 1, 1);
    __syncthreads();
    WL_STAGE("PV");
    O_accum[row * 72 + d] = alpha[row] * O_accum[row * 72 + d] + dot(S, V, row, d);
    WL_TILE("O_accum", O_accum, 64, 64, 72);
    __syncthreads();
    WL_STAGE("output");
    O[row * 64 + d] = __float2half(O_accum[row * 72 + d] / l[row]);
}
)";

enum SiteIndex : uint32_t {
    store_scores,
    store_masked,
    store_m,
    store_alpha,
    store_p,
    call_reduce,
    shuffle,
    store_l,
    store_o,
    barrier,
    output,
    exit_site,
    stage_mark,
    tile_mark,
    site_count,
};

struct SiteRow {
    int line, inlined_at;
    const char *function, *text;
};
constexpr std::array<SiteRow, site_count> kSites = {
    {
     {9, -1, "attention", "st.shared.f32 [%r41], %f12"},
     {13, -1, "attention", "st.shared.f32 [%r42], %f13"},
     {15, -1, "attention", "st.shared.f32 [%r50], %f20"},
     {17, -1, "attention", "st.shared.f32 [%r51], %f21"},
     {19, -1, "attention", "st.shared.f32 [%r42], %f30"},
     {22, -1, "attention", "mov.f32 %f40, %f39"},
     {4, call_reduce, "warp_reduce_sum", "shfl.sync.bfly.b32 %r60, %r59, 16, 31, -1"},
     {23, -1, "attention", "st.shared.f32 [%r52], %f44"},
     {27, -1, "attention", "st.shared.f32 [%r70], %f50"},
     {29, -1, "attention", "bar.sync 0"},
     {31, -1, "attention", "st.global.u16 [%rd9], %rs4"},
     {32, -1, "attention", "ret"},
     {8, -1, "attention", "// WL_STAGE"},
     {10, -1, "attention", "// WL_TILE"},
     }
};

enum ProbeIndex { scores, masked, m, alpha, p, l, o_accum, o_output };

struct ProbeRow {
    const char* name;
    int rows, cols;
    const char* reference;
    uint64_t address;
    int ld;
};
constexpr std::array<ProbeRow, 8> kProbes = {
    {
     {"scores", kRows, kKeys, "scores", kS, kLdS},
     {"masked", kRows, kKeys, "masked", kS, kLdS},
     {"m", kRows, 1, "m", kM, 1},
     {"alpha", kRows, 1, "alpha", kAlpha, 1},
     {"P", kRows, kKeys, "P", kS, kLdS},
     {"l", kRows, 1, "l", kL, 1},
     {"O_accum", kRows, kDim, "O_accum", kO, kLdO},
     {"O", kBlocks* kRows, kDim, "O", 0x7f00'0000'0000, kDim},
     }
};

// Streaming attention of one block in arithmetic T; the fault multiplies what l adds.
template <class T>
struct Attention {
    Matrix<T> q, k, v;      // (rows, dim), (iterations * keys, dim) twice
    Matrix<T> s, p, o;      // (rows, keys) twice, (rows, dim)
    Matrix<T> m, l, alpha;  // (rows, 1)
    T fault = 1;

    void iterate(int iteration) {
        for (int row = 0; row < kRows; ++row) {
            for (int key = 0; key < kKeys; ++key) s(row, key) = dot(row, iteration * kKeys + key);
            const T before = m(row, 0);
            const T* begin = &s(row, 0);
            m(row, 0) = std::max(before, *std::max_element(begin, begin + kKeys));
            alpha(row, 0) = std::exp(before - m(row, 0));
            T sum = 0;
            for (int key = 0; key < kKeys; ++key) sum += p(row, key) = std::exp(s(row, key) - m(row, 0));
            l(row, 0) = alpha(row, 0) * l(row, 0) + fault * sum;
            for (int d = 0; d < kDim; ++d) {
                T add = 0;
                for (int key = 0; key < kKeys; ++key) add += p(row, key) * v(iteration * kKeys + key, d);
                o(row, d) = alpha(row, 0) * o(row, d) + add;
            }
        }
    }
    T dot(int row, int key) const {
        T sum = 0;
        for (int d = 0; d < kDim; ++d) sum += q(row, d) * k(key, d);
        return sum / 8;  // 1/sqrt(64)
    }
};

template <class T>
Matrix<T> normal(int rows, int cols, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> draw;
    auto matrix = make_matrix<T>(rows, cols);
    for (T& element : matrix.data) {
        uint16_t half = 0;
        from_double(DType::f16, draw(engine), &half);
        element = static_cast<T>(to_double(DType::f16, &half));
    }
    return matrix;
}

template <class T>
Attention<T> attention(T fault) {
    Attention<T> a;
    a.q = normal<T>(kRows, kDim, 1);
    a.k = normal<T>(kIterations * kKeys, kDim, 2);
    a.v = normal<T>(kIterations * kKeys, kDim, 3);
    a.s = a.p = make_matrix<T>(kRows, kKeys);
    a.o = make_matrix<T>(kRows, kDim);
    a.m = make_matrix<T>(kRows, 1, -std::numeric_limits<T>::infinity());
    a.l = a.alpha = make_matrix<T>(kRows, 1);
    a.fault = fault;
    return a;
}

template <class T>
const Matrix<T>& tensor(const Attention<T>& a, int probe) {
    switch (probe) {
        case m: return a.m;
        case alpha: return a.alpha;
        case p: return a.p;
        case l: return a.l;
        case o_accum: return a.o;
        default: return a.s;
    }
}

}  // namespace wl::testing
