// Streaming attention in the small: one warp, 16 queries, 32 keys a step, 16 columns; WMMA for Q K^T and P V.
#include <mma.h>
#include <warplens.cuh>
using namespace nvcuda;

struct Shared {
    __half q[16][16], k[32][16], v[32][16], p[16][32];
    float s[16][32], o[16][16], m[16], l[16];
};
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Rows = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major>;
using Columns = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__device__ float warp_max(float x) {
    for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, d));
    return x;
}
__device__ float warp_sum(float x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}

__device__ void load_rows(__half* to, const __half* from, int first, int rows, int seq) {
    for (int i = threadIdx.x; i < rows * 16; i += 32)
        to[i] = first + i / 16 < seq ? from[first * 16 + i] : __float2half(0.0f);
}

// s = q k^T / sqrt(16), and -inf for keys behind the last.
__device__ void score_tile(Shared& sh, int key0, int seq) {
    for (int half = 0; half < 2; ++half) {
        A q;
        Columns k;
        Sums s;
        wmma::load_matrix_sync(q, &sh.q[0][0], 16);
        wmma::load_matrix_sync(k, &sh.k[half * 16][0], 16);
        wmma::fill_fragment(s, 0.0f);
        wmma::mma_sync(s, q, k, s);
        for (int i = 0; i < s.num_elements; ++i) s.x[i] *= 0.25f;
        wmma::store_matrix_sync(&sh.s[0][half * 16], s, 32, wmma::mem_row_major);
    }
    __syncwarp();
    WL_TILE("scores", &sh.s[0][0], 16, 32, 32);
    if (key0 + threadIdx.x >= seq)
        for (int row = 0; row < 16; ++row) sh.s[row][threadIdx.x] = -INFINITY;
    __syncwarp();
}

// p = exp(s - m); m and l go on, and what was summed under the old m shrinks.
__device__ void softmax_tile(Shared& sh) {
    const int lane = threadIdx.x;
    for (int row = 0; row < 16; ++row) {
        const float m_old = sh.m[row], m_new = fmaxf(m_old, warp_max(sh.s[row][lane]));
        const float p = __expf(sh.s[row][lane] - m_new), shrink = __expf(m_old - m_new);
        __syncwarp();
        sh.s[row][lane] = p, sh.p[row][lane] = __float2half(p);
        __syncwarp();
        const float l_add = warp_sum(sh.s[row][lane]);
        if (lane == 0) sh.m[row] = m_new, sh.l[row] = sh.l[row] * shrink + l_add;
        if (lane < 16) sh.o[row][lane] *= shrink;
    }
    __syncwarp();
}

// o += p v
__device__ void accumulate_tile(Shared& sh) {
    Sums o;
    wmma::load_matrix_sync(o, &sh.o[0][0], 16, wmma::mem_row_major);
    for (int half = 0; half < 2; ++half) {
        A p;
        Rows v;
        wmma::load_matrix_sync(p, &sh.p[0][half * 16], 32);
        wmma::load_matrix_sync(v, &sh.v[half * 16][0], 16);
        wmma::mma_sync(o, p, v, o);
    }
    wmma::store_matrix_sync(&sh.o[0][0], o, 16, wmma::mem_row_major);
    __syncwarp();
}

extern "C" __global__ void attention(const __half* Q, const __half* K, const __half* V, __half* O, int seq) {
    __shared__ __align__(32) Shared sh;
    const int lane = threadIdx.x, query0 = blockIdx.x * 16;
    const size_t head = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * seq * 16;
    load_rows(&sh.q[0][0], Q + head, query0, 16, seq);
    for (int i = lane; i < 256; i += 32) sh.o[i / 16][i % 16] = 0.0f;
    if (lane < 16) sh.m[lane] = -INFINITY, sh.l[lane] = 0.0f;
    for (int key0 = 0; key0 < seq; key0 += 32) {
        __syncwarp();
        load_rows(&sh.k[0][0], K + head, key0, 32, seq);
        load_rows(&sh.v[0][0], V + head, key0, 32, seq);
        __syncwarp();
        WL_LAYOUT("Q", &sh.q[0][0], 16, 16, 16, 0);
        WL_LAYOUT("K", &sh.k[0][0], 32, 16, 16, 0);
        WL_LAYOUT("V", &sh.v[0][0], 32, 16, 16, 0);
        score_tile(sh, key0, seq);
        softmax_tile(sh);
        WL_TILE("m", sh.m, 16, 1, 1);
        WL_TILE("P", &sh.p[0][0], 16, 32, 32);
        WL_TILE("l", sh.l, 16, 1, 1);
        accumulate_tile(sh);
        WL_TILE("O_accum", &sh.o[0][0], 16, 16, 16);
    }
    for (int i = lane; i < 256 && query0 + i / 16 < seq; i += 32)
        O[head + query0 * 16 + i] = __float2half(sh.o[i / 16][i % 16] / sh.l[i / 16]);
}
