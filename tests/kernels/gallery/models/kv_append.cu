// New keys and values are rounded to eight bits, a scale for each token and head, and stored into a cache of
// pages. A warp a token and head, keys and values one after the other.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

struct Cache {
    char4* data;    // (pages, page, heads, kWidth)
    float* scales;  // (pages, page, heads)
};

struct Append {
    const half* keys;    // (tokens, heads, kWidth)
    const half* values;  // (tokens, heads, kWidth)
    const int* lengths;  // (tokens): how much its sequence had before
    const int* pages;    // (tokens, most): the pages of its sequence
    int tokens, heads, page, most;
};

__device__ signed char rounded(float x) {
#ifdef WL_FAULT_CHOP
    return static_cast<signed char>(x);
#else
    return static_cast<signed char>(rintf(x));
#endif
}

template <int kWidth>
__device__ void append(const half* from, Cache cache, size_t slot, int lane) {
    float x[4] = {};
    if (lane * 4 < kWidth) {
        const half2* pairs = reinterpret_cast<const half2*>(from + lane * 4);
        const float2 a = __half22float2(pairs[0]), b = __half22float2(pairs[1]);
        x[0] = a.x, x[1] = a.y, x[2] = b.x, x[3] = b.y;
    }
    float most = 0.0f;
#ifdef WL_FAULT_SIGN
    for (int i = 0; i < 4; ++i) most = fmaxf(most, x[i]);
#else
    for (int i = 0; i < 4; ++i) most = fmaxf(most, fabsf(x[i]));
#endif
#ifdef WL_FAULT_DOWN
    for (int reach = 16; reach > 0; reach /= 2)
        most = fmaxf(most, __shfl_down_sync(0xffffffffu, most, reach));
#else
    for (int reach = 16; reach > 0; reach /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, reach));
#endif
#ifdef WL_FAULT_RANGE
    const float scale = most / 128.0f, inverse = most > 0.0f ? 128.0f / most : 0.0f;
#else
    const float scale = most / 127.0f, inverse = most > 0.0f ? 127.0f / most : 0.0f;
#endif
    WL_LANES("scale", scale);
    if (lane * 4 < kWidth) {
        char4 four;
        four.x = rounded(x[0] * inverse);
        four.y = rounded(x[1] * inverse);
        four.z = rounded(x[2] * inverse);
        four.w = rounded(x[3] * inverse);
        cache.data[slot * (kWidth / 4) + lane] = four;
    }
#ifdef WL_FAULT_SCALE
    if (lane == 0) cache.scales[slot] = inverse;
#else
    if (lane == 0) cache.scales[slot] = scale;
#endif
}

// Grid (ceil(tokens * heads / 4)), block (32, 4).
template <int kWidth>
__global__ void kv_append(Append in, Cache keys, Cache values) {
    const int lane = threadIdx.x, work = blockIdx.x * blockDim.y + threadIdx.y;
    const int token = work / in.heads, head = work % in.heads;
#ifndef WL_FAULT_GUARD
    if (token >= in.tokens) return;
#endif
    const int at = in.lengths[token];
#ifdef WL_FAULT_TABLE
    const int page = in.pages[at / in.page];
#else
    const int page = in.pages[token * in.most + at / in.page];
#endif
#ifdef WL_FAULT_WITHIN
    const size_t slot = (size_t(page) * in.page + at / in.page) * in.heads + head;
#else
    const size_t slot = (size_t(page) * in.page + at % in.page) * in.heads + head;
#endif
    const size_t from = size_t(work) * kWidth;
    append<kWidth>(in.keys + from, keys, slot, lane);
#ifdef WL_FAULT_KEYS
    append<kWidth>(in.keys + from, values, slot, lane);
#else
    append<kWidth>(in.values + from, values, slot, lane);
#endif
}

template __global__ void kv_append<96>(Append, Cache, Cache);
