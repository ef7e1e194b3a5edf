// Streaming attention, both products by tensor cores: as v2c_5, but P V is WMMA as well. P is fp16, made in
// registers from score fragments, and multiplied with V onto O_accum, which is rescaled in shared memory. An
// accumulator and a matrix_a fragment hold their elements in one known order from sm_80 on (PTX leaves it
// open). Its authors planned it for 600 to 1000 us at (1, 8, 512, 64) on an Ada GPU.
#include <cuda_fp16.h>
#include <math_constants.h>
#include <mma.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_TILE(...)
#define WL_LAYOUT(...)
#define WL_FRAGMENT(...)
#endif

namespace wmma = nvcuda::wmma;

constexpr int kWarps = 8, kStripes = M / 16;  // computing warps; warp 7 issues the copies of K and V
constexpr int kRows = 16;                     // query rows a computing warp owns: one fragment
constexpr int kLd = D + 8;                    // padded leading dimension of Q, K, V and O_accum
constexpr float kScale = D == 64 ? 0.125f : 0.08838834764831845f;  // 1 / sqrt(D)
static_assert(M % 16 == 0 && kStripes < kWarps && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __half q[M][kLd];
    __half k[2 * N * kLd];  // K^T, column-major, double-buffered: element (d, key) at key * kLd + d
    __half v[2][N][kLd];
    float s[M][N];  // a warp's rows: its scores
    float o[M][kLd];
    float m[M], l[M], alpha[M];  // running maximum and sum, rescale of this tile
};

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

// One warp starts the copy of rows [first, first + rows) of a (seq, D) matrix; rows beyond seq become zero.
__device__ void copy_rows(__half* to, const __half* from, int first, int rows, int seq, int lane) {
#pragma unroll 1  // short code beside the seven warps that compute
    for (int i = lane; i < rows * (D / 8); i += 32) {
        const int row = i / (D / 8), column = i % (D / 8) * 8;
        const __half* source = from + static_cast<size_t>(min(first + row, seq - 1)) * D + column;
        const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to + row * kLd + column));
        const int bytes = first + row < seq ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                     : "memory");
    }
}

// Scores of the warp's stripe by tensor cores, 16 keys at a time.
__device__ void score_rows(Shared& sh, int stage, int first_row) {
    for (int key0 = 0; key0 < N; key0 += 16) {
        Sums score;
        wmma::fill_fragment(score, 0.0f);
        for (int column = 0; column < D; column += 16) {
            FragmentA q;
            wmma::load_matrix_sync(q, &sh.q[first_row][column], kLd);
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> k;
            wmma::load_matrix_sync(k, &sh.k[(stage * N + key0) * kLd + column], kLd);
            wmma::mma_sync(score, q, k, score);
        }
        for (int e = 0; e < score.num_elements; ++e) score.x[e] *= kScale;
        wmma::store_matrix_sync(&sh.s[first_row][key0], score, N, wmma::mem_row_major);
    }
}

// Keys beyond the sequence, and with CAUSAL those after the query, get -inf.
__device__ void mask_rows(Shared& sh, int query0, int key0, int seq, int first_row, int lane) {
    if (key0 + N <= seq && !(CAUSAL && key0 + N > query0 + 1)) return;
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int key = lane; key < N; key += 32)
            if (key0 + key >= seq || (CAUSAL && key0 + key > query0 + row)) sh.s[row][key] = -CUDART_INF_F;
}

// Statistics of the online softmax of the warp's rows: the new m, l and alpha.
__device__ void softmax_rows(Shared& sh, int first_row, int lane) {
    for (int row = first_row; row < first_row + kRows; ++row) {
        float s_max = -CUDART_INF_F;
        for (int key = lane; key < N; key += 32) s_max = fmaxf(s_max, sh.s[row][key]);
        const float m_old = sh.m[row], m_new = fmaxf(m_old, warp_reduce_max(s_max));
        float l_add = 0.0f;
        for (int key = lane; key < N; key += 32) l_add += __expf(sh.s[row][key] - m_new);
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

// P of the warp's stripe, from score fragments: element e of key tile t is half e % 2 of pair 4 t + e / 2.
__device__ void probability_fragments(const Shared& sh, int first_row, int lane, __half2 (&p)[N / 4]) {
    for (int t = 0; t < N / 16; ++t) {
        Sums score;
        wmma::load_matrix_sync(score, &sh.s[first_row][16 * t], N, wmma::mem_row_major);
        for (int e = 0; e < 8; e += 2) {
            const float m = sh.m[first_row + lane / 4 + e / 2 % 2 * 8];  // the element's row
            p[4 * t + e / 2] = __floats2half2_rn(__expf(score.x[e] - m), __expf(score.x[e + 1] - m));
        }
    }
}

// O_accum = alpha * O_accum + P V for the warp's rows, P V 16 columns at a time.
__device__ void accumulate_rows(Shared& sh, int stage, int first_row, int lane, const __half2 (&p)[N / 4]) {
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] *= sh.alpha[row];
    __syncwarp();
    for (int column = 0; column < D; column += 16) {
        Sums o;
        wmma::load_matrix_sync(o, &sh.o[first_row][column], kLd, wmma::mem_row_major);
        for (int t = 0; t < N / 16; ++t) {
            FragmentA weights;  // of sm_80 on, its second half repeats the first
            for (int e = 0; e < 16; ++e) weights.x[e] = (&p[4 * t + e % 8 / 2].x)[e % 2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v;
            wmma::load_matrix_sync(v, &sh.v[stage][16 * t][column], kLd);
            wmma::mma_sync(o, weights, v, o);
        }
        __syncwarp();  // no lane still reads what others overwrite
        wmma::store_matrix_sync(&sh.o[first_row][column], o, kLd, wmma::mem_row_major);
    }
    __syncwarp();
}

// Q, K, V, O: (B, H, seq, D). Grid (ceil(seq / M), H, B), block 256.
extern "C" __global__ void __launch_bounds__(32 * kWarps)
    v2c_6(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(32) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * kRows;
    const int query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const bool computes = warp_id < kStripes;
    const int keys = CAUSAL ? min(seq, query0 + M) : seq;  // what some row of this block attends to

    WL_STAGE("load");
    if (computes) copy_rows(sh.q[first_row], Q + head, query0 + first_row, kRows, seq, lane);
    if (warp_id == 7) {
        copy_rows(sh.k, K + head, 0, N, seq, lane);
        copy_rows(sh.v[0][0], V + head, 0, N, seq, lane);
    }
    for (int row = first_row; computes && row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] = 0.0f;
    if (computes && lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage ^= 1) {
        WL_STAGE("load");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();  // this tile has arrived, and nobody reads the other stage any more
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k + stage * N * kLd, N, D, kLd, 0);
        WL_LAYOUT("V", sh.v[stage], N, D, kLd, 0);
        if (warp_id == 7 && key0 + N < keys) {
            copy_rows(sh.k + (stage ^ 1) * N * kLd, K + head, key0 + N, N, seq, lane);
            copy_rows(sh.v[stage ^ 1][0], V + head, key0 + N, N, seq, lane);
        }

        WL_STAGE("scores");
        if (computes) score_rows(sh, stage, first_row);
        __syncwarp();
        WL_TILE("scores", sh.s, M, N, N);

        WL_STAGE("softmax");
        if (computes) mask_rows(sh, query0, key0, seq, first_row, lane);
        WL_TILE("masked", sh.s, M, N, N);
        if (computes) softmax_rows(sh, first_row, lane);
        WL_TILE("m", sh.m, M, 1, 1);
        WL_TILE("l", sh.l, M, 1, 1);
        WL_TILE("alpha", sh.alpha, M, 1, 1);

        WL_STAGE("pv");
        if (computes) {
            __half2 p[N / 4];
            probability_fragments(sh, first_row, lane, p);
            WL_FRAGMENT("P", p);
            accumulate_rows(sh, stage, first_row, lane, p);
        }
        WL_TILE("O_accum", sh.o, M, D, kLd);
    }

    WL_STAGE("store");
    for (int row = first_row; computes && row < first_row + kRows && query0 + row < seq; ++row) {
        __half* out = O + head + static_cast<size_t>(query0 + row) * D;
        for (int column = lane; column < D; column += 32)
            out[column] = __float2half(sh.o[row][column] / sh.l[row]);
    }
}
