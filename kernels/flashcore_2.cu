// Fused tensor-core attention, Q K^T once more: as flashcore_1, but K's tile is sKT, [N][D] in spite of its
// name. The switches col_major and row_major bring back the two readings of sKT that its authors tried: one
// gave scores 10 to 100 times too small, the other some near the truth and still wrong, largest error 5.55.
#include <cuda_fp16.h>
#include <math_constants.h>
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
constexpr int kRows = M / (kWarpsM * kWarpsN);  // consecutive query rows a warp has in the softmax
constexpr int kWarpKeys = N / kWarpsN;          // keys a warp has in Q K^T and in P V
constexpr int kLd = D + 16;                     // padded leading dimension of Q, K and V: 32-byte rows
constexpr int kLdS = N + 4, kLdP = N + 8, kLdO = D + 4;
constexpr float kScaleQ = 0.125f;  // a power of two, hence exact in fp16; with kScaleS it is 1 / sqrt(D)
constexpr float kScaleS = D == 64 ? 1.0f : 0.7071067811865475f;
static_assert(M % 16 == 0 && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __align__(32) __half q[M][kLd];
    __half kt[N][kLd];  // row: key
    __half v[N][kLd];
    float s[M][kLdS];
    __half p[M][kLdP];
    float part[kWarpsN][M][kLdO];  // P V of either half of the keys
    float o[M][kLdO];
    float m[M], l[M], alpha[M];  // running maximum and sum, rescale of this tile
};

template <class Layout>
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, Layout>;
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__device__ float warp_reduce_max(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset));
    return x;
}

__device__ float warp_reduce_sum(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffff, x, offset);
    return x;
}

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

// Scores of a warp's 16 rows and its keys: K^T is column-major where sKT lies by rows.
__device__ void score_tile(Shared& sh, int warp_m, int warp_n) {
    for (int key = warp_n * kWarpKeys; key < (warp_n + 1) * kWarpKeys; key += 16) {
        Sums scores;
        wmma::fill_fragment(scores, 0.0f);
        for (int k = 0; k < D; k += 16) {
            FragmentA queries;
            wmma::load_matrix_sync(queries, &sh.q[16 * warp_m][k], kLd);
#if defined(WL_FAULT_COL_MAJOR)
            FragmentB<wmma::col_major> keys;
            wmma::load_matrix_sync(keys, &sh.kt[0][0] + k * N + key, N);  // as if sKT were [D][N]
#elif defined(WL_FAULT_ROW_MAJOR)
            FragmentB<wmma::row_major> keys;
            wmma::load_matrix_sync(keys, &sh.kt[k][key], kLd);  // its rows are keys, not dimensions: Q K
#else
            FragmentB<wmma::col_major> keys;
            wmma::load_matrix_sync(keys, &sh.kt[key][k], kLd);
#endif
            wmma::mma_sync(scores, queries, keys, scores);
        }
        for (int i = 0; i < scores.num_elements; ++i) scores.x[i] *= kScaleS;
        wmma::store_matrix_sync(&sh.s[16 * warp_m][key], scores, kLdS, wmma::mem_row_major);
    }
}

// Keys beyond the sequence, and with CAUSAL those after the query, get -inf.
__device__ void mask_rows(Shared& sh, int query0, int key0, int seq, int first_row, int lane) {
    if (key0 + N <= seq && !(CAUSAL && key0 + N > query0 + 1)) return;
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int key = lane; key < N; key += 32)
            if (key0 + key >= seq || (CAUSAL && key0 + key > query0 + row)) sh.s[row][key] = -CUDART_INF_F;
}

// Online softmax of the warp's rows: P from the scores, and the new m, l and alpha.
__device__ void softmax_rows(Shared& sh, int first_row, int lane) {
    for (int row = first_row; row < first_row + kRows; ++row) {
        float s_max = -CUDART_INF_F;
        for (int key = lane; key < N; key += 32) s_max = fmaxf(s_max, sh.s[row][key]);
        const float m_old = sh.m[row], m_new = fmaxf(m_old, warp_reduce_max(s_max));
        float l_add = 0.0f;
        for (int key = lane; key < N; key += 32) {
            const float p = __expf(sh.s[row][key] - m_new);
            sh.p[row][key] = __float2half(p);
            l_add += p;
        }
        l_add = warp_reduce_sum(l_add);
        __syncwarp();  // every lane has read m
        if (lane == 0) {
            sh.m[row] = m_new;
            sh.alpha[row] = __expf(m_old - m_new);
            sh.l[row] = sh.l[row] * sh.alpha[row] + l_add;
        }
    }
    __syncwarp();
}

// P V of a warp's 16 rows over its keys alone, for the other warps to add.
__device__ void multiply_values(Shared& sh, int warp_m, int warp_n) {
    for (int column = 0; column < D; column += 16) {
        Sums sums;
        wmma::fill_fragment(sums, 0.0f);
        for (int key = warp_n * kWarpKeys; key < (warp_n + 1) * kWarpKeys; key += 16) {
            FragmentA p;
            FragmentB<wmma::row_major> values;
            wmma::load_matrix_sync(p, &sh.p[16 * warp_m][key], kLdP);
            wmma::load_matrix_sync(values, &sh.v[key][column], kLd);
            wmma::mma_sync(sums, p, values, sums);
        }
        wmma::store_matrix_sync(&sh.part[warp_n][16 * warp_m][column], sums, kLdO, wmma::mem_row_major);
    }
}

// Q, K, V, O: (B, H, seq, D). Grid (ceil(seq / M), H, B), block 4 M.
extern "C" __global__ void __launch_bounds__(kThreads)
    flashcore_2(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(32) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * kRows;
    const int warp_m = warp_id / kWarpsN, warp_n = warp_id % kWarpsN, query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const int keys = CAUSAL ? min(seq, query0 + M) : seq;  // what some row of this block attends to

    WL_STAGE("load");
    load_rows(sh.q, Q + head, query0, M, seq);
    __syncthreads();
    for (int i = threadIdx.x; i < M * D; i += kThreads) sh.q[i / D][i % D] *= __float2half(kScaleQ);
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] = 0.0f;
    if (lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0; key0 < keys; key0 += N) {
        WL_STAGE("load");
        load_rows(sh.kt, K + head, key0, N, seq);
        load_rows(sh.v, V + head, key0, N, seq);
        __syncthreads();
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.kt, N, D, kLd, 0);
        WL_LAYOUT("V", sh.v, N, D, kLd, 0);

        WL_STAGE("scores");
        score_tile(sh, warp_m, warp_n);
        __syncthreads();
        WL_TILE("scores", sh.s, M, N, kLdS);

        WL_STAGE("softmax");
        mask_rows(sh, query0, key0, seq, first_row, lane);
        WL_TILE("masked", sh.s, M, N, kLdS);
        softmax_rows(sh, first_row, lane);
        WL_TILE("m", sh.m, M, 1, 1);
        WL_TILE("P", sh.p, M, N, kLdP);
        WL_TILE("l", sh.l, M, 1, 1);
        WL_TILE("alpha", sh.alpha, M, 1, 1);
        __syncthreads();  // P V reads rows of other warps

        WL_STAGE("pv");
        multiply_values(sh, warp_m, warp_n);
        __syncthreads();  // both halves are there, and nobody reads K, V and P any more
        for (int row = first_row; row < first_row + kRows; ++row)
            for (int column = lane; column < D; column += 32)
                sh.o[row][column] =
                    sh.o[row][column] * sh.alpha[row] + sh.part[0][row][column] + sh.part[1][row][column];
        WL_TILE("O_accum", sh.o, M, D, kLdO);
    }

    WL_STAGE("store");
    for (int row = first_row; row < first_row + kRows && query0 + row < seq; ++row) {
        __half* out = O + head + static_cast<size_t>(query0 + row) * D;
        for (int column = lane; column < D; column += 32)
            out[column] = __float2half(sh.o[row][column] / sh.l[row]);
    }
}
