// The gate of flashcore_1's first stage: the same Q K^T / sqrt(D), and nothing behind it. The whole of S goes
// out, so that it can be printed and compared with no mask, no softmax and no P V between. Its authors found
// with such a gate that their scores were wrong, and not what they made of them.
#include <cuda_fp16.h>
#include <mma.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_TILE(...)
#define WL_LAYOUT(...)
#endif

namespace wmma = nvcuda::wmma;

constexpr int kWarpsM = M / 16, kWarpsN = 2;
constexpr int kThreads = 32 * kWarpsM * kWarpsN;
constexpr int kWarpKeys = N / kWarpsN;  // keys a warp has in Q K^T
constexpr int kLd = D + 16;             // padded leading dimension of Q and K: 32-byte rows
constexpr int kLdS = N + 4;
constexpr float kScaleQ = 0.125f;  // a power of two, hence exact in fp16; with kScaleS it is 1 / sqrt(D)
constexpr float kScaleS = D == 64 ? 1.0f : 0.7071067811865475f;
static_assert(M % 16 == 0 && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __align__(32) __half q[M][kLd];
    __half k[N][kLd];
    float s[M][kLdS];
};

template <class Layout>
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, Layout>;
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// Rows [first, first + rows) of a (seq, D) matrix by the whole block; rows beyond seq and padding become
// zero.
__device__ void load_rows(__half (*to)[kLd], const __half* from, int first, int rows, int seq) {
#pragma unroll 1
    for (int i = 8 * threadIdx.x; i < rows * kLd; i += 8 * kThreads) {
        const int row = i / kLd, column = i % kLd;
        uint4 chunk = {};
        if (first + row < seq && column < D)
            chunk = *reinterpret_cast<const uint4*>(from + static_cast<size_t>(first + row) * D + column);
        *reinterpret_cast<uint4*>(&to[row][column]) = chunk;
    }
}

// Scores of a warp's 16 rows and its keys: K^T is column-major where K lies by rows.
__device__ void score_tile(Shared& sh, int warp_m, int warp_n) {
    FragmentB<wmma::col_major> keys;
    for (int key = warp_n * kWarpKeys; key < (warp_n + 1) * kWarpKeys; key += 16) {
        Sums scores;
        wmma::fill_fragment(scores, 0.0f);
        for (int k = 0; k < D; k += 16) {
            FragmentA queries;
            wmma::load_matrix_sync(queries, &sh.q[16 * warp_m][k], kLd);
            wmma::load_matrix_sync(keys, &sh.k[key][k], kLd);
            wmma::mma_sync(scores, queries, keys, scores);
        }
        for (int i = 0; i < scores.num_elements; ++i) scores.x[i] *= kScaleS;
        wmma::store_matrix_sync(&sh.s[16 * warp_m][key], scores, kLdS, wmma::mem_row_major);
    }
}

// As flashcore_1, but S: (B, H, seq, seq), all scores, masked or not; V is not read.
extern "C" __global__ void __launch_bounds__(kThreads)
    flashcore_qk_only(const __half* Q, const __half* K, const __half*, float* S, int seq) {
    extern __shared__ __align__(32) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32;
    const int warp_m = warp_id / kWarpsN, warp_n = warp_id % kWarpsN, query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq;

    WL_STAGE("load");
    load_rows(sh.q, Q + head * D, query0, M, seq);
    __syncthreads();
    for (int i = threadIdx.x; i < M * D; i += kThreads) sh.q[i / D][i % D] *= __float2half(kScaleQ);

    for (int key0 = 0; key0 < seq; key0 += N) {
        WL_STAGE("load");
        load_rows(sh.k, K + head * D, key0, N, seq);
        __syncthreads();
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k, N, D, kLd, 0);

        WL_STAGE("scores");
        score_tile(sh, warp_m, warp_n);
        __syncthreads();
        WL_TILE("scores", sh.s, M, N, kLdS);

        WL_STAGE("store");
        for (int i = threadIdx.x; i < M * N; i += kThreads) {
            const int row = i / N, column = i % N;
            if (query0 + row < seq && key0 + column < seq)
                S[(head + query0 + row) * seq + key0 + column] = sh.s[row][column];
        }
    }
}
