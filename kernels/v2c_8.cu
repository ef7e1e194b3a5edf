// Streaming attention without a score tile: as v2c_7, but scores, mask and P stay in the fragments that Q K^T
// left in registers; the four lanes that share a row of a fragment agree on its maximum and sum by two
// shuffles. Since v2c_7, shared memory holds no scores: 65 KB at D = 64. Its authors planned it to be 1.2
// times faster.
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

constexpr int kWarps = 8, kStripes = M / 16;  // computing warps; all warps copy
constexpr int kRows = 16;                     // query rows a computing warp owns: one fragment
constexpr int kLd = D + 8;                    // padded leading dimension of Q, K, V and O_accum
constexpr float kScale = D == 64 ? 0.125f : 0.08838834764831845f;  // 1 / sqrt(D)
static_assert(M % 16 == 0 && kStripes < kWarps && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __half q[M][kLd];
    __half k[2 * N * kLd];  // K^T, column-major, double-buffered: element (d, key) at key * kLd + d
    __half v[2][N][kLd];
    float o[M][kLd];
    float m[M], l[M], alpha[M];  // running maximum and sum, rescale of this tile
};

using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// A warp's 16 x N scores are N / 2 elements a lane, 8 columns after 8 columns. Where a lane's element i lies:
__device__ int fragment_row(int lane, int i) { return lane / 4 + i / 2 % 2 * 8; }
__device__ int fragment_column(int lane, int i) { return i / 4 * 8 + lane % 4 * 2 + i % 2; }

// Over the four lanes that hold a row.
__device__ float row_reduce_max(float x) {
    for (int offset = 2; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset));
    return x;
}

__device__ float row_reduce_sum(float x) {
    for (int offset = 2; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffff, x, offset);
    return x;
}

// The block starts a group: the copy of rows [first, first + rows) of (seq, D); those beyond seq become zero.
__device__ void copy_rows(__half* to, const __half* from, int first, int rows, int seq) {
    for (int i = 8 * threadIdx.x; i < rows * D; i += 8 * 32 * kWarps) {
        const int row = i / D, column = i % D;
        const __half* source = from + static_cast<size_t>(min(first + row, seq - 1)) * D + column;
        const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to + row * kLd + column));
        const int bytes = first + row < seq ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                     : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Scores of the warp's stripe by tensor cores, 16 keys at a time.
__device__ void score_rows(const Shared& sh, int stage, int first_row, float (&s)[N / 2]) {
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
        for (int e = 0; e < score.num_elements; ++e) s[key0 / 2 + e] = score.x[e] * kScale;
    }
}

// Keys beyond the sequence, and with CAUSAL those after the query, get -inf. query0: of the stripe.
__device__ void mask_rows(float (&s)[N / 2], int query0, int key0, int seq, int lane) {
    if (key0 + N <= seq && !(CAUSAL && key0 + N > query0 + 1)) return;
    for (int i = 0; i < N / 2; ++i) {
        const int query = query0 + fragment_row(lane, i), key = key0 + fragment_column(lane, i);
        if (key >= seq || (CAUSAL && key > query)) s[i] = -CUDART_INF_F;
    }
}

// Online softmax of the warp's rows, two a lane: P from the scores, and the new m, l and alpha.
__device__ void softmax_rows(
    Shared& sh, int first_row, int lane, const float (&s)[N / 2], __half2 (&p)[N / 4]
) {
    for (int half = 0; half < 2; ++half) {
        const int row = first_row + fragment_row(lane, 2 * half);
        float s_max = -CUDART_INF_F;
        for (int i = 2 * half; i < N / 2; i += 4) s_max = fmaxf(s_max, fmaxf(s[i], s[i + 1]));
        const float m_old = sh.m[row], m_new = fmaxf(m_old, row_reduce_max(s_max));
        float l_add = 0.0f;
        for (int i = 2 * half; i < N / 2; i += 4) {
            const float2 pair = {__expf(s[i] - m_new), __expf(s[i + 1] - m_new)};
            p[i / 2] = __float22half2_rn(pair);
            l_add += pair.x + pair.y;
        }
        l_add = row_reduce_sum(l_add);
        __syncwarp();  // every lane has read m
        if (lane % 4 == 0) {
            sh.m[row] = m_new;
            sh.alpha[row] = __expf(m_old - m_new);
            sh.l[row] = sh.l[row] * sh.alpha[row] + l_add;
        }
    }
    __syncwarp();
}

// O_accum = alpha * O_accum + P V for the warp's rows, P V 16 columns at a time.
__device__ void accumulate_rows(Shared& sh, int stage, int first_row, int lane, const __half2 (&p)[N / 4]) {
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] *= sh.alpha[row];
    __syncwarp();
#pragma unroll 4  // of D = 128 no more: registers
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
    v2c_8(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(32) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * kRows;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const bool computes = warp_id < kStripes;
    const int query0 = blockIdx.x * M, keys = CAUSAL ? min(seq, query0 + M) : seq;  // keys of some row here

    WL_STAGE("load");
    copy_rows(sh.q[0], Q + head, query0, M, seq);
    copy_rows(sh.k, K + head, 0, N, seq);
    copy_rows(sh.v[0][0], V + head, 0, N, seq);
    for (int row = first_row; computes && row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] = 0.0f;
    if (computes && lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage ^= 1) {
        WL_STAGE("load");
        asm volatile("cp.async.wait_group 1;" ::: "memory");  // V may still be under way
        __syncthreads();  // K of this tile has arrived, and nobody reads the other stage of K any more
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k + stage * N * kLd, N, D, kLd, 0);
        const int more = key0 + N < keys ? N : 0;  // 0 copies an empty group, so that there is one to leave
        copy_rows(sh.k + (stage ^ 1) * N * kLd, K + head, key0 + N, more, seq);

        WL_STAGE("scores");
        float s[N / 2];
        __half2 p[N / 4];
        if (computes) {
            score_rows(sh, stage, first_row, s);
            WL_FRAGMENT("scores", s);

            WL_STAGE("softmax");
            mask_rows(s, query0 + first_row, key0, seq, lane);
            WL_FRAGMENT("masked", s);
            softmax_rows(sh, first_row, lane, s, p);
            WL_FRAGMENT("P", p);
        }
        WL_TILE("m", sh.m, M, 1, 1);
        WL_TILE("l", sh.l, M, 1, 1);
        WL_TILE("alpha", sh.alpha, M, 1, 1);

        WL_STAGE("load");
        asm volatile("cp.async.wait_group 1;" ::: "memory");  // the next K may still be under way
        __syncthreads();  // V of this tile has arrived, and nobody reads the other stage of V any more
        WL_LAYOUT("V", sh.v[stage], N, D, kLd, 0);
        copy_rows(sh.v[stage ^ 1][0], V + head, key0 + N, more, seq);

        WL_STAGE("pv");
        if (computes) { accumulate_rows(sh, stage, first_row, lane, p); }
        WL_TILE("O_accum", sh.o, M, D, kLd);
    }

    WL_STAGE("store");
    for (int row = first_row; computes && row < first_row + kRows && query0 + row < seq; ++row) {
        __half* out = O + head + static_cast<size_t>(query0 + row) * D;
        for (int column = lane; column < D; column += 32)
            out[column] = __float2half(sh.o[row][column] / sh.l[row]);
    }
}
