// One query a sequence and head against keys and values that lie in pages of 16 rows: a warp walks over the
// pages of its sequence, two of them in flight, with a running maximum and sum.
#include <cuda_pipeline.h>

#include <math_constants.h>

constexpr int kPage = 16, kDim = 32;

struct Page {
    float k[kPage][kDim + 4], v[kPage][kDim];
};

// Copies one page of keys and values of a head: sixteen bytes a lane and turn.
__device__ void fetch(Page& to, const float* keys, const float* values, int page, int head, int heads) {
    for (int i = threadIdx.x; i < kPage * kDim / 4; i += 32) {
        const int row = i / 8, col = i % 8 * 4;
#if defined(WL_FAULT_HEAD)
        const size_t at = ((size_t(page) * kPage + row) * heads + head) * (kDim + 4) + col;
#elif defined(WL_FAULT_ORDER)
        const size_t at = ((size_t(page) * heads + head) * kPage + row) * kDim + col;
#else
        const size_t at = ((size_t(page) * kPage + row) * heads + head) * kDim + col;
#endif
        __pipeline_memcpy_async(&to.k[row][col], keys + at, 16);
#ifdef WL_FAULT_KEYS
        __pipeline_memcpy_async(&to.v[row][col], keys + at, 16);
#else
        __pipeline_memcpy_async(&to.v[row][col], values + at, 16);
#endif
    }
    __pipeline_commit();
}

// q, out: (batch, heads, 32), keys, values: (pages, 16, heads, 32), table: (batch, most), lengths: (batch).
// Grid (heads, batch), 32 threads.
__global__ void paged_decode(
    const float* q,
    const float* keys,
    const float* values,
    const int* table,
    const int* lengths,
    float* out,
    int heads,
    int most,
    float scale
) {
    __shared__ __align__(16) Page ring[2];
    const int lane = threadIdx.x, head = blockIdx.x, length = lengths[blockIdx.y];
#ifdef WL_FAULT_PAGES
    const int pages = length / kPage;
#else
    const int pages = (length + kPage - 1) / kPage;
#endif
    const float* query = q + (blockIdx.y * heads + head) * kDim;
    table += blockIdx.y * most;
    float top = -CUDART_INF_F, sum = 0.0f, acc = 0.0f;
    fetch(ring[0], keys, values, table[0], head, heads);
    for (int p = 0; p < pages; ++p) {
#ifdef WL_FAULT_TABLE
        if (p + 1 < pages) fetch(ring[(p + 1) % 2], keys, values, p + 1, head, heads);
#else
        if (p + 1 < pages) fetch(ring[(p + 1) % 2], keys, values, table[p + 1], head, heads);
#endif
        else
            __pipeline_commit();
#ifdef WL_FAULT_PRIOR
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(1);
#endif
#ifndef WL_FAULT_LANDED
        __syncwarp();
#endif
#ifdef WL_FAULT_RING
        const Page& page = ring[0];
#else
        const Page& page = ring[p % 2];
#endif
        float score = -CUDART_INF_F;
#ifdef WL_FAULT_MASK
        if (lane < kPage && p * kPage + lane <= length)
#else
        if (lane < kPage && p * kPage + lane < length)
#endif
        {
            score = 0.0f;
            for (int d = 0; d < kDim; ++d) score += query[d] * page.k[lane][d] * scale;
        }
        float m = fmaxf(top, score);
        for (int o = 8; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
        m = __shfl_sync(0xffffffff, m, 0);
        const float weight = __expf(score - m), old = __expf(top - m);
#ifndef WL_FAULT_SUM
        sum *= old;
#endif
        acc *= old;
        for (int r = 0; r < kPage; ++r) {
            const float w = __shfl_sync(0xffffffff, weight, r);
            sum += w;
            if (w > 0.0f) acc += w * page.v[r][lane];
        }
        top = m;
        __syncwarp();
    }
    out[(blockIdx.y * heads + head) * kDim + lane] = acc / sum;
}
