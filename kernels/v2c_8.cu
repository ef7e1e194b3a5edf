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

constexpr int kWarps = 8;
constexpr int kStripes = M / 16;  // computing warps; all warps copy
constexpr int kRows = 16;         // query rows a computing warp owns: one fragment
constexpr int kLd = D + 8;        // padded leading dimension of Q, K, V and O_accum
constexpr float kScale = D == 64 ? 0.125f : 0.08838834764831845f;  // 1 / sqrt(D)
static_assert(M % 16 == 0 && kStripes < kWarps && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __half q[M][kLd];
    __half
        k[2 * N * kLd];  // K^T, (kLd, 2 N) column-major: element (d, key) at key * kLd + d; double-buffered
    __half v[2][N][kLd];
    float o[M][kLd];
    float m[M];  // running maximum
    float l[M];  // running sum
    float alpha[M];
};

using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
template <class Layout>
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, Layout>;
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

__device__ float2 load_pair(const __half* p) { return __half22float2(*reinterpret_cast<const __half2*>(p)); }
__device__ float2 load_pair(const float* p) { return *reinterpret_cast<const float2*>(p); }
__device__ void store_pair(float* p, float2 pair) { *reinterpret_cast<float2*>(p) = pair; }

// The block starts the copy of rows [first, first + rows) of a (seq, D) matrix; rows beyond seq become zero.
__device__ void copy_rows(__half* to, const __half* from, int first, int rows, int seq) {
    constexpr int kChunks = D / 8;  // 16 bytes each
    for (int i = threadIdx.x; i < rows * kChunks; i += 32 * kWarps) {
        const int row = i / kChunks, column = i % kChunks * 8;
        const __half* source = from + static_cast<size_t>(min(first + row, seq - 1)) * D + column;
        const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to + row * kLd + column));
        const int bytes = first + row < seq ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                     : "memory");
    }
}

__device__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until all groups but the last one have arrived.
__device__ void wait_for_copies() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

// Scores of the warp's stripe by tensor cores, 16 keys at a time.
__device__ void score_rows(const Shared& sh, int stage, int first_row, float (&s)[N / 2]) {
    for (int key0 = 0; key0 < N; key0 += 16) {
        Sums score;
        wmma::fill_fragment(score, 0.0f);
        for (int column = 0; column < D; column += 16) {
            FragmentA q;
            wmma::load_matrix_sync(q, &sh.q[first_row][column], kLd);
            FragmentB<wmma::col_major> k;
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
        const float m_old = sh.m[row];
        const float m_new = fmaxf(m_old, row_reduce_max(s_max));
        float l_add = 0.0f;
        for (int i = 2 * half; i < N / 2; i += 4) {
            const float2 pair = {__expf(s[i] - m_new), __expf(s[i + 1] - m_new)};
            p[i / 2] = __float22half2_rn(pair);
            l_add += pair.x + pair.y;
        }
        l_add = row_reduce_sum(l_add);
        __syncwarp();  // every lane has read m
        if (lane % 4 == 0) {
            const float alpha = __expf(m_old - m_new);
            sh.m[row] = m_new;
            sh.l[row] = sh.l[row] * alpha + l_add;
            sh.alpha[row] = alpha;
        }
    }
    __syncwarp();
}

// O_accum = alpha * O_accum for the warp's rows.
__device__ void rescale_rows(Shared& sh, int first_row, int lane) {
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = lane; column < D; column += 32) sh.o[row][column] *= sh.alpha[row];
    __syncwarp();
}

// O_accum = O_accum + P V for the warp's rows, 16 columns at a time.
__device__ void accumulate_rows(Shared& sh, int stage, int first_row, const __half2 (&p)[N / 4]) {
#pragma unroll 4  // of D = 128 no more: registers
    for (int column = 0; column < D; column += 16) {
        Sums o;
        wmma::load_matrix_sync(o, &sh.o[first_row][column], kLd, wmma::mem_row_major);
        for (int t = 0; t < N / 16; ++t) {
            FragmentA weights;  // of sm_80 on, its second half repeats the first
            for (int e = 0; e < 8; e += 2) {
                weights.x[e] = weights.x[e + 8] = __low2half(p[4 * t + e / 2]);
                weights.x[e + 1] = weights.x[e + 9] = __high2half(p[4 * t + e / 2]);
            }
            FragmentB<wmma::row_major> v;
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
    const int query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const bool computes = warp_id < kStripes;
    const int keys = CAUSAL ? min(seq, query0 + M) : seq;  // what some row of this block attends to

    WL_STAGE("load");
    copy_rows(sh.q[0], Q + head, query0, M, seq);
    copy_rows(sh.k, K + head, 0, N, seq);
    commit_copies();
    copy_rows(sh.v[0][0], V + head, 0, N, seq);
    commit_copies();
    for (int row = first_row; computes && row < first_row + kRows; ++row)
        for (int column = 2 * lane; column < D; column += 64) store_pair(&sh.o[row][column], {0.0f, 0.0f});
    if (computes && lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage ^= 1) {
        WL_STAGE("load");
        wait_for_copies();  // V may still be under way
        __syncthreads();    // K of this tile has arrived, and nobody reads the other stage of K any more
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k + stage * N * kLd, N, D, kLd, 0);
        if (key0 + N < keys) copy_rows(sh.k + (stage ^ 1) * N * kLd, K + head, key0 + N, N, seq);
        commit_copies();  // empty after the last tile, so that there is always one group to leave

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
        wait_for_copies();  // the next K may still be under way
        __syncthreads();    // V of this tile has arrived, and nobody reads the other stage of V any more
        WL_LAYOUT("V", sh.v[stage], N, D, kLd, 0);
        if (key0 + N < keys) copy_rows(sh.v[stage ^ 1][0], V + head, key0 + N, N, seq);
        commit_copies();

        WL_STAGE("pv");
        if (computes) {
            rescale_rows(sh, first_row, lane);
            accumulate_rows(sh, stage, first_row, p);
        }
        WL_TILE("O_accum", sh.o, M, D, kLd);
    }

    WL_STAGE("store");
    for (int row = first_row; computes && row < first_row + kRows && query0 + row < seq; ++row) {
        __half* out = O + head + static_cast<size_t>(query0 + row) * D;
        for (int column = 2 * lane; column < D; column += 64) {
            const float2 o = load_pair(&sh.o[row][column]);
            *reinterpret_cast<__half2*>(out + column) = __floats2half2_rn(o.x / sh.l[row], o.y / sh.l[row]);
        }
    }
}
