// Fused tensor-core attention, 64 x 64 tiles and two stages of K and V: as flashcore_3, but each KV tile is
// copied by cp.async while the one before it is in use, as it lies, so K is column-major again; and the two
// warps of a row each have half of the head dimension in P V, so nothing is left to add up. Its authors
// planned it for less than 100, then 50, then 40 us.
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
constexpr int kWarpKeys = N / kWarpsN;          // keys a warp has in Q K^T
constexpr int kWarpColumns = D / kWarpsN;       // columns a warp has in P V
constexpr int kLd = D + 16;                     // padded leading dimension of Q, K and V: 32-byte rows
constexpr int kLdS = N + 4, kLdP = N + 8, kLdO = D + 4;
constexpr float kScaleQ = 0.125f;  // a power of two, hence exact in fp16; with kScaleS it is 1 / sqrt(D)
constexpr float kScaleS = D == 64 ? 1.0f : 0.7071067811865475f;
static_assert(M % 16 == 0 && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __align__(32) __half q[M][kLd];
    __half k[2][N][kLd];  // double-buffered
    __half v[2][N][kLd];
    float s[M][kLdS];
    __half p[M][kLdP];
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

// The block starts the copy of rows [first, first + rows) of a (seq, D) matrix; rows beyond seq become zero.
__device__ void copy_rows(__half (*to)[kLd], const __half* from, int first, int rows, int seq) {
    for (int i = 8 * threadIdx.x; i < rows * D; i += 8 * kThreads) {
        const int row = i / D, column = i % D;
        const __half* source = from + static_cast<size_t>(min(first + row, seq - 1)) * D + column;
        const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&to[row][column]));
        const int bytes = first + row < seq ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                     : "memory");
    }
}

// Scores of a warp's 16 rows and its keys: K^T is column-major where K lies by rows.
__device__ void score_tile(Shared& sh, int stage, int warp_m, int warp_n) {
    Sums scores[kWarpKeys / 16];
    for (Sums& sum : scores) wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < D; k += 16) {
        FragmentA queries;
        wmma::load_matrix_sync(queries, &sh.q[16 * warp_m][k], kLd);
        for (int j = 0; j < kWarpKeys / 16; ++j) {
            const int key = warp_n * kWarpKeys + 16 * j;
            FragmentB<wmma::col_major> keys;
            wmma::load_matrix_sync(keys, &sh.k[stage][key][k], kLd);
            wmma::mma_sync(scores[j], queries, keys, scores[j]);
        }
    }
    for (int j = 0; j < kWarpKeys / 16; ++j) {
        for (int i = 0; i < scores[j].num_elements; ++i) scores[j].x[i] *= kScaleS;
        float* to = &sh.s[16 * warp_m][warp_n * kWarpKeys + 16 * j];
        wmma::store_matrix_sync(to, scores[j], kLdS, wmma::mem_row_major);
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

// O_accum = alpha * O_accum + P V for a warp's 16 rows and its columns.
__device__ void accumulate_tile(Shared& sh, int stage, int warp_m, int warp_n, int lane) {
    const int column0 = warp_n * kWarpColumns;
    for (int row = 16 * warp_m; row < 16 * (warp_m + 1); ++row)
        for (int c = lane; c < kWarpColumns; c += 32) sh.o[row][column0 + c] *= sh.alpha[row];
    __syncwarp();
    for (int column = column0; column < column0 + kWarpColumns; column += 16) {
        Sums sums;
        wmma::load_matrix_sync(sums, &sh.o[16 * warp_m][column], kLdO, wmma::mem_row_major);
        for (int key = 0; key < N; key += 16) {
            FragmentA p;
            FragmentB<wmma::row_major> values;
            wmma::load_matrix_sync(p, &sh.p[16 * warp_m][key], kLdP);
            wmma::load_matrix_sync(values, &sh.v[stage][key][column], kLd);
            wmma::mma_sync(sums, p, values, sums);
        }
        __syncwarp();  // no lane still reads what others overwrite
        wmma::store_matrix_sync(&sh.o[16 * warp_m][column], sums, kLdO, wmma::mem_row_major);
    }
}

// Q, K, V, O: (B, H, seq, D). Grid (ceil(seq / M), H, B), block 4 M.
extern "C" __global__ void __launch_bounds__(kThreads)
    flashcore_4(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(32) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * kRows;
    const int warp_m = warp_id / kWarpsN, warp_n = warp_id % kWarpsN, query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const int keys = CAUSAL ? min(seq, query0 + M) : seq;  // what some row of this block attends to

    WL_STAGE("load");
    copy_rows(sh.q, Q + head, query0, M, seq);
    copy_rows(sh.k[0], K + head, 0, N, seq);
    copy_rows(sh.v[0], V + head, 0, N, seq);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < M * D; i += kThreads) sh.q[i / D][i % D] *= __float2half(kScaleQ);
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] = 0.0f;
    if (lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage ^= 1) {
        WL_STAGE("load");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();  // this tile has arrived, and nobody reads the other stage any more
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k[stage], N, D, kLd, 0);
        WL_LAYOUT("V", sh.v[stage], N, D, kLd, 0);
        if (key0 + N < keys) {
            copy_rows(sh.k[stage ^ 1], K + head, key0 + N, N, seq);
            copy_rows(sh.v[stage ^ 1], V + head, key0 + N, N, seq);
        }

        WL_STAGE("scores");
        score_tile(sh, stage, warp_m, warp_n);
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
        accumulate_tile(sh, stage, warp_m, warp_n, lane);
        WL_TILE("O_accum", sh.o, M, D, kLdO);
    }

    __syncthreads();  // the rows to store are partly other warps'
    WL_STAGE("store");
    for (int row = first_row; row < first_row + kRows && query0 + row < seq; ++row) {
        __half* out = O + head + static_cast<size_t>(query0 + row) * D;
        for (int column = lane; column < D; column += 32)
            out[column] = __float2half(sh.o[row][column] / sh.l[row]);
    }
}
