// Streaming attention, one warp to a row: O = softmax(Q K^T / sqrt(D)) V over KV tiles, fp16 in and out, fp32
// statistics; each warp owns M / 8 consecutive query rows, and warp 7 also issues the copies.
// Since v2, where several warps shared a row and raced on it, m, l and O_accum of a row have a single writer.
// Its authors measured 2452 us at (1, 8, 512, 64) on an Ada GPU, max difference 8e-6.
#include <cuda_fp16.h>
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_TILE(...)
#define WL_LAYOUT(...)
#endif

constexpr int kWarps = 8, kRows = M / kWarps;  // consecutive query rows a warp owns
#ifdef WL_FAULT_SMEM
constexpr int kStages = 3;  // too many, with 64 keys of 128 elements each
#else
constexpr int kStages = 2;  // KV tiles in shared memory
#endif
constexpr int kLd = D + 8;  // padded leading dimension of Q, K, V and O_accum
constexpr float kScale = D == 64 ? 0.125f : 0.08838834764831845f;  // 1 / sqrt(D)
static_assert(M % kWarps == 0 && N % 32 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __half q[M][kLd];
    __half k[kStages][N][kLd];
    __half v[kStages][N][kLd];
    float s[M][N];  // a warp's rows: its scores, then its probabilities
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

__device__ int after(int stage) { return stage + 1 < kStages ? stage + 1 : 0; }

// Scores of the warp's own rows: the lanes stride over D, one reduction per (row, key).
__device__ void score_rows(Shared& sh, int stage, int first_row, int lane) {
    float2 q[kRows][D / 64];
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < D / 64; ++c) q[r][c] = load_pair(&sh.q[first_row + r][64 * c + 2 * lane]);

    for (int key = 0; key < N; ++key) {
        float2 k[D / 64];
        for (int c = 0; c < D / 64; ++c) k[c] = load_pair(&sh.k[stage][key][64 * c + 2 * lane]);
        float score = 0.0f;  // lane r keeps row r's
        for (int r = 0; r < kRows; ++r) {
            float sum = 0.0f;
            for (int c = 0; c < D / 64; ++c) sum += q[r][c].x * k[c].x, sum += q[r][c].y * k[c].y;
            sum = warp_reduce_sum(sum);
            if (lane == r) score = sum;
        }
        if (lane < kRows) sh.s[first_row + lane][key] = score * kScale;
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
            const float alpha = __expf(m_old - m_new);
            sh.m[row] = m_new, sh.alpha[row] = alpha;
            sh.l[row] = sh.l[row] * alpha + l_add;
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
    v2b(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(16) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * kRows;
    const int query0 = blockIdx.x * M;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const int keys = CAUSAL ? min(seq, query0 + M) : seq;  // what some row of this block attends to
#ifdef WL_FAULT_WARP7
    const bool computes = warp_id < 7;  // the producer warp skips its rows, and nobody else has them
#else
    const bool computes = true;
#endif

    WL_STAGE("load");
    if (warp_id == 7) {
        copy_rows(sh.q, Q + head, query0, M, seq, lane);
        copy_rows(sh.k[0], K + head, 0, N, seq, lane);
        copy_rows(sh.v[0], V + head, 0, N, seq, lane);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int row = first_row; row < first_row + kRows; ++row)
        for (int column = 2 * lane; column < D; column += 64) store_pair(&sh.o[row][column], {0.0f, 0.0f});
    if (lane < kRows) sh.m[first_row + lane] = -CUDART_INF_F, sh.l[first_row + lane] = 0.0f;

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage = after(stage)) {
        WL_STAGE("load");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();  // this tile has arrived, and nobody reads the other stage any more
        WL_LAYOUT("Q", sh.q, M, D, kLd, 0);
        WL_LAYOUT("K", sh.k[stage], N, D, kLd, 0);
        WL_LAYOUT("V", sh.v[stage], N, D, kLd, 0);
        if (warp_id == 7 && key0 + N < keys) {
            copy_rows(sh.k[after(stage)], K + head, key0 + N, N, seq, lane);
            copy_rows(sh.v[after(stage)], V + head, key0 + N, N, seq, lane);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }

        WL_STAGE("scores");
        if (computes) score_rows(sh, stage, first_row, lane);
        __syncwarp();
        WL_TILE("scores", sh.s, M, N, N);

        WL_STAGE("softmax");
        if (computes) mask_rows(sh, query0, key0, seq, first_row, lane);
        WL_TILE("masked", sh.s, M, N, N);
        if (computes) softmax_rows(sh, first_row, lane);
        WL_TILE("m", sh.m, M, 1, 1);
        WL_TILE("P", sh.s, M, N, N);
        WL_TILE("l", sh.l, M, 1, 1);
        WL_TILE("alpha", sh.alpha, M, 1, 1);

        WL_STAGE("pv");
        if (computes) accumulate_rows(sh, stage, first_row, lane);
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
