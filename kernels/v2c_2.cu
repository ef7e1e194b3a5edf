// Streaming attention, scores by tensor cores: as v2c_1, but Q and K lie in plain padded rows, fragments are
// loaded from them directly, and each 16 x 16 fragment of scores goes to shared memory by a store of its own.
// Since v2c_1, nothing depends on which lane holds which element; the switch qk loads K as it lies,
// row-major, and so computes Q K. Its authors saw a max difference of 0.013.
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

constexpr int kWarps = 8, kRows = M / kWarps;  // consecutive query rows a warp owns
constexpr int kLd = D + 8;                     // padded leading dimension of Q, K, V and O_accum
constexpr float kScale = D == 64 ? 0.125f : 0.08838834764831845f;  // 1 / sqrt(D)
static_assert(M % kWarps == 0 && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __half q[M][kLd], k[2][N][kLd], v[2][N][kLd];  // K and V double-buffered
    float s[M][N];  // scores, by the block; then probabilities, by the row's warp
    float o[M][kLd];
    float m[M], l[M], alpha[M];  // running maximum and sum, rescale of this tile
};

__device__ float warp_reduce_max(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset));
    return x;
}

__device__ float warp_reduce_sum(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffff, x, offset);
    return x;
}

__device__ float2 load_pair(const __half* p) { return __half22float2(*reinterpret_cast<const __half2*>(p)); }
__device__ float2 load_pair(const float* p) { return *reinterpret_cast<const float2*>(p); }
__device__ void store_pair(float* p, float2 pair) { *reinterpret_cast<float2*>(p) = pair; }

// One warp starts the copy of rows [first, first + rows) of a (seq, D) matrix; rows beyond seq become zero.
__device__ void copy_rows(__half (*to)[kLd], const __half* from, int first, int rows, int seq, int lane) {
#pragma unroll 1  // short code beside the seven warps that compute
    for (int i = lane; i < rows * (D / 8); i += 32) {
        const int row = i / (D / 8), column = i % (D / 8) * 8;
        const __half* source = from + static_cast<size_t>(min(first + row, seq - 1)) * D + column;
        const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&to[row][column]));
        const int bytes = first + row < seq ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                     : "memory");
    }
}

// Scores by tensor cores: a warp has every eighth 16 x 16 fragment of the tile.
__device__ void score_tile(Shared& sh, int stage, int warp_id) {
    for (int i = warp_id; i < M / 16 * (N / 16); i += kWarps) {
        const int row0 = i / (N / 16) * 16, key0 = i % (N / 16) * 16;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> score;
        wmma::fill_fragment(score, 0.0f);
        for (int column = 0; column < D; column += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> q;
            wmma::load_matrix_sync(q, &sh.q[row0][column], kLd);
#ifdef WL_FAULT_QK
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> k;
            wmma::load_matrix_sync(k, &sh.k[stage][column][key0], kLd);  // K itself, not K^T
#else
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> k;
            wmma::load_matrix_sync(k, &sh.k[stage][key0][column], kLd);  // a key's row is a column of K^T
#endif
            wmma::mma_sync(score, q, k, score);
        }
        for (int e = 0; e < score.num_elements; ++e) score.x[e] *= kScale;
        wmma::store_matrix_sync(&sh.s[row0][key0], score, N, wmma::mem_row_major);
    }
}

// Keys beyond the sequence, and with CAUSAL those after the query, get -inf.
__device__ void mask_rows(Shared& sh, int query0, int key0, int seq, int first_row, int lane) {
    if (key0 + N <= seq && !(CAUSAL && key0 + N > query0 + 1)) return;
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int key = lane; key < N; key += 32)
            if (key0 + key >= seq || (CAUSAL && key0 + key > query0 + row)) sh.s[row][key] = -CUDART_INF_F;
}

// Online softmax of the warp's rows: P in place of the scores, and the new m, l and alpha.
__device__ void softmax_rows(Shared& sh, int first_row, int lane) {
    for (int row = first_row; row < first_row + kRows; ++row) {
        float s_max = -CUDART_INF_F;
        for (int key = lane; key < N; key += 32) s_max = fmaxf(s_max, sh.s[row][key]);
        const float m_old = sh.m[row], m_new = fmaxf(m_old, warp_reduce_max(s_max));
        for (int key = lane; key < N; key += 32) sh.s[row][key] = __expf(sh.s[row][key] - m_new);
        __syncwarp();  // the row's P is complete, and every lane has read m
        float l_add = 0.0f;
        for (int key = lane; key < N; key += 32) l_add += sh.s[row][key];
        l_add = warp_reduce_sum(l_add);
        if (lane == 0) {
            sh.m[row] = m_new;
            sh.alpha[row] = __expf(m_old - m_new);
            sh.l[row] = sh.l[row] * sh.alpha[row] + l_add;
        }
    }
    __syncwarp();
}

// O_accum = alpha * O_accum + P V for the warp's rows; a lane has two neighbouring columns of every 64.
__device__ void accumulate_rows(Shared& sh, int stage, int first_row, int lane) {
    for (int column = 2 * lane; column < D; column += 64) {
        float2 o[kRows];
        for (int r = 0; r < kRows; ++r) {
            const float2 old = load_pair(&sh.o[first_row + r][column]);
            o[r] = {old.x * sh.alpha[first_row + r], old.y * sh.alpha[first_row + r]};
        }
        for (int key = 0; key < N; key += 4) {
            float2 v[4];
            for (int i = 0; i < 4; ++i) v[i] = load_pair(&sh.v[stage][key + i][column]);
            for (int r = 0; r < kRows; ++r) {
                const float4 p = *reinterpret_cast<const float4*>(&sh.s[first_row + r][key]);
                const float weight[4] = {p.x, p.y, p.z, p.w};
                for (int i = 0; i < 4; ++i) o[r].x += weight[i] * v[i].x, o[r].y += weight[i] * v[i].y;
            }
        }
        for (int r = 0; r < kRows; ++r) store_pair(&sh.o[first_row + r][column], o[r]);
    }
}

// Q, K, V, O: (B, H, seq, D). Grid (ceil(seq / M), H, B), block 256.
extern "C" __global__ void __launch_bounds__(32 * kWarps)
    v2c_2(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(32) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * kRows;
    const int query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const int keys = CAUSAL ? min(seq, query0 + M) : seq;  // what some row of this block attends to

    WL_STAGE("load");
    if (warp_id == 7) {
        copy_rows(sh.q, Q + head, query0, M, seq, lane);
        copy_rows(sh.k[0], K + head, 0, N, seq, lane);
        copy_rows(sh.v[0], V + head, 0, N, seq, lane);
    }
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = 2 * lane; column < D; column += 64) store_pair(&sh.o[row][column], {0.0f, 0.0f});
    if (lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage ^= 1) {
        WL_STAGE("load");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();  // this tile has arrived, and nobody reads the other stage any more
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k[stage], N, D, kLd, 0);
        WL_LAYOUT("V", sh.v[stage], N, D, kLd, 0);
        if (warp_id == 7 && key0 + N < keys) {
            copy_rows(sh.k[stage ^ 1], K + head, key0 + N, N, seq, lane);
            copy_rows(sh.v[stage ^ 1], V + head, key0 + N, N, seq, lane);
        }

        WL_STAGE("scores");
        score_tile(sh, stage, warp_id);
        __syncthreads();  // the readers of a row are not its writers
        WL_TILE("scores", sh.s, M, N, N);

        WL_STAGE("softmax");
        mask_rows(sh, query0, key0, seq, first_row, lane);
        WL_TILE("masked", sh.s, M, N, N);
        softmax_rows(sh, first_row, lane);
        WL_TILE("m", sh.m, M, 1, 1);
        WL_TILE("P", sh.s, M, N, N);
        WL_TILE("l", sh.l, M, 1, 1);
        WL_TILE("alpha", sh.alpha, M, 1, 1);

        WL_STAGE("pv");
        accumulate_rows(sh, stage, first_row, lane);
        WL_TILE("O_accum", sh.o, M, D, kLd);
    }

    WL_STAGE("store");
    for (int row = first_row; row < first_row + kRows && query0 + row < seq; ++row) {
        __half* out = O + head + static_cast<size_t>(query0 + row) * D;
        for (int column = 2 * lane; column < D; column += 64) {
            const float2 o = load_pair(&sh.o[row][column]);
            *reinterpret_cast<__half2*>(out + column) = __floats2half2_rn(o.x / sh.l[row], o.y / sh.l[row]);
        }
    }
}
