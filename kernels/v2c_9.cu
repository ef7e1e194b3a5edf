// Streaming attention in registers: as v2c_8, but S, P, m, l, alpha and O_accum never leave a warp's
// registers; Q, K and V lie XOR-swizzled in shared memory, 57 KB at D = 64, and come by ldmatrix to mma.sync
// without a bank conflict; KV tiles are copied two ahead in a ring of three stages, with one barrier a tile.
// The price is registers: beyond the lineage's 72, of which O_accum and S alone take 64.
#include <cuda_fp16.h>
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_STAGE(...)
#define WL_FRAGMENT(...)
#endif

constexpr int kWarps = M / 16, kThreads = 32 * kWarps, kStages = 3;  // each warp owns 16 query rows
constexpr float kScale = D == 64 ? 0.125f : 0.08838834764831845f;    // 1 / sqrt(D)
static_assert(M % 16 == 0 && N % 16 == 0 && (D == 64 || D == 128), "tile shape");

struct Shared {
    __half q[M][D], k[kStages][N][D], v[kStages][N][D];
};

// Scores and outputs are 8 columns after 8 columns. Where a lane's element i lies (PTX ISA, mma.m16n8k16):
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

// Eight rows of a column of 16-byte chunks lie in different banks: chunk c of row r is at c ^ (r % 8).
__device__ unsigned chunk_address(const __half* matrix, int row, int chunk) {
    return static_cast<unsigned>(__cvta_generic_to_shared(matrix + row * D + (chunk ^ (row % 8)) * 8));
}

// The block starts a group: the copy of rows [first, first + rows) of (seq, D); those beyond seq become zero.
__device__ void copy_rows(__half* to, const __half* from, int first, int rows, int seq) {
#pragma unroll 1  // short code: registers
    for (int i = 8 * threadIdx.x; i < rows * D; i += 8 * kThreads) {
        const int row = i / D, column = i % D;
        const __half* source = from + static_cast<size_t>(min(first + row, seq - 1)) * D + column;
        const unsigned target = chunk_address(to, row, column / 8);
        const int bytes = first + row < seq ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                     : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Four 8 x 8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
__device__ void load_matrices(unsigned (&to)[4], unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ void load_transposed(unsigned (&to)[4], unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// c += a b with a (16, 16), b (16, 8), c (16, 8).
__device__ void multiply(float* c, const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)
    );
}

// Scores of the warp's stripe; K's row is a column of K^T, so its chunks are columns of b as they lie.
__device__ void score_rows(const Shared& sh, int stage, int first_row, int lane, float (&s)[N / 2]) {
    for (int column = 0; column < D; column += 16) {
        unsigned q[4];
        load_matrices(q, chunk_address(sh.q[0], first_row + lane % 16, column / 8 + lane / 16));
        for (int key = 0; key < N; key += 16) {
            unsigned k[4];
            const int row = key + lane / 16 * 8 + lane % 8;
            load_matrices(k, chunk_address(sh.k[stage][0], row, column / 8 + lane / 8 % 2));
            multiply(&s[key / 2], q, k[0], k[1]);
            multiply(&s[key / 2 + 4], q, k[2], k[3]);
        }
    }
    for (float& score : s) score *= kScale;
}

// Keys beyond the sequence, and with CAUSAL those after the query, get -inf. query0: of the stripe.
__device__ void mask_rows(float (&s)[N / 2], int query0, int key0, int seq, int lane) {
    if (key0 + N <= seq && !(CAUSAL && key0 + N > query0 + 1)) return;
    for (int i = 0; i < N / 2; ++i) {
        const int query = query0 + fragment_row(lane, i), key = key0 + fragment_column(lane, i);
        if (key >= seq || (CAUSAL && key > query)) s[i] = -CUDART_INF_F;
    }
}

// Running statistics of the two rows that a lane shares with three others.
struct Rows {
    float m[2] = {-CUDART_INF_F, -CUDART_INF_F}, l[2] = {}, alpha[2] = {};
};

// Online softmax of the warp's rows: P from the scores, and the new m, l and alpha.
__device__ void softmax_rows(Rows& rows, const float (&s)[N / 2], __half2 (&p)[N / 4]) {
    for (int half = 0; half < 2; ++half) {
        float s_max = -CUDART_INF_F;
        for (int i = 2 * half; i < N / 2; i += 4) s_max = fmaxf(s_max, fmaxf(s[i], s[i + 1]));
        const float m_new = fmaxf(rows.m[half], row_reduce_max(s_max));
        float l_add = 0.0f;
        for (int i = 2 * half; i < N / 2; i += 4) {
            const float2 pair = {__expf(s[i] - m_new), __expf(s[i + 1] - m_new)};
            p[i / 2] = __float22half2_rn(pair);
            l_add += pair.x + pair.y;
        }
        rows.alpha[half] = __expf(rows.m[half] - m_new);
        rows.m[half] = m_new;
        rows.l[half] = rows.l[half] * rows.alpha[half] + row_reduce_sum(l_add);
    }
}

// O_accum = alpha * O_accum + P V for the warp's rows: P's accumulators are an operand a as they lie.
__device__ void accumulate_rows(
    const Shared& sh, int stage, int lane, const Rows& rows, const __half2 (&p)[N / 4], float (&o)[D / 2]
) {
    for (int i = 0; i < D / 2; ++i) o[i] *= rows.alpha[i / 2 % 2];
    for (int key = 0; key < N; key += 16) {
        const unsigned(&weights)[4] = reinterpret_cast<const unsigned(&)[4]>(p[key / 4]);
        for (int column = 0; column < D; column += 16) {
            unsigned v[4];
            load_transposed(v, chunk_address(sh.v[stage][0], key + lane % 16, column / 8 + lane / 16));
            multiply(&o[column / 2], weights, v[0], v[1]);
            multiply(&o[column / 2 + 4], weights, v[2], v[3]);
        }
    }
}

// Q, K, V, O: (B, H, seq, D). Grid (ceil(seq / M), H, B), block 2 M.
extern "C" __global__ void __launch_bounds__(kThreads)
    v2c_9(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    extern __shared__ __align__(128) unsigned char memory[];
    Shared& sh = *reinterpret_cast<Shared*>(memory);
    const int warp_id = threadIdx.x / 32, lane = threadIdx.x % 32, first_row = warp_id * 16;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * D;
    const int query0 = blockIdx.x * M, keys = CAUSAL ? min(seq, query0 + M) : seq;  // keys of some row here

    WL_STAGE("load");
    copy_rows(sh.q[0], Q + head, query0, M, seq);
    for (int stage = 0; stage < kStages - 1; ++stage) {
        copy_rows(sh.k[stage][0], K + head, stage * N, stage * N < keys ? N : 0, seq);
        copy_rows(sh.v[stage][0], V + head, stage * N, stage * N < keys ? N : 0, seq);
    }
    Rows rows;
    float o[D / 2] = {};

    for (int key0 = 0, stage = 0; key0 < keys; key0 += N, stage = (stage + 1) % kStages) {
        WL_STAGE("load");
        asm volatile("cp.async.wait_group 2;" ::: "memory");  // K and V of the next tile may be under way
        __syncthreads();  // this tile has arrived, and nobody reads the stage before it any more
        const int ahead = key0 + (kStages - 1) * N, free = (stage + kStages - 1) % kStages;
        const int more = ahead < keys ? N : 0;  // 0 copies an empty group, so that there are two to leave
        copy_rows(sh.k[free][0], K + head, ahead, more, seq);
        copy_rows(sh.v[free][0], V + head, ahead, more, seq);

        WL_STAGE("scores");
        float s[N / 2] = {};
        __half2 p[N / 4];
        score_rows(sh, stage, first_row, lane, s);
        WL_FRAGMENT("scores", s);

        WL_STAGE("softmax");
        mask_rows(s, query0 + first_row, key0, seq, lane);
        WL_FRAGMENT("masked", s);
        softmax_rows(rows, s, p);
        WL_FRAGMENT("m", rows.m);
        WL_FRAGMENT("P", p);
        WL_FRAGMENT("l", rows.l);
        WL_FRAGMENT("alpha", rows.alpha);

        WL_STAGE("pv");
        accumulate_rows(sh, stage, lane, rows, p, o);
        WL_FRAGMENT("O_accum", o);
    }

    WL_STAGE("store");
    for (int i = 0; i < D / 2; i += 2) {
        const int row = query0 + first_row + fragment_row(lane, i), half = i / 2 % 2;
        __half* out = O + head + static_cast<size_t>(row) * D + fragment_column(lane, i);
        const __half2 pair = __floats2half2_rn(o[i] / rows.l[half], o[i + 1] / rows.l[half]);
        if (row < seq) *reinterpret_cast<__half2*>(out) = pair;
    }
}
