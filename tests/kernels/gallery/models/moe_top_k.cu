// Gating of a mixture of experts: a warp a token, a lane an expert; the two best by shuffles, their weights
// by the softmax of all, made to sum to one.
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr int kBest = 2;

__device__ float warp_max(float v) {
#ifdef WL_FAULT_OFFSET
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_up_sync(0xffffffff, v, o));
#else
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
#endif
    return v;
}

// logits: (tokens, count), experts, weights: (tokens, 2), loads: (count); count at most 32.
// Grid (ceil(tokens / 4)), 128 threads.
__global__ void moe_top_k(
    const float* logits, int* experts, float* weights, int* loads, int tokens, int count
) {
    const int token = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
#ifdef WL_FAULT_GUARD
    if (token > tokens) return;
#else
    if (token >= tokens) return;
#endif
#if defined(WL_FAULT_NONE)
    float logit = lane < count ? logits[token * count + lane] : 0.0f;
#elif defined(WL_FAULT_LANES)
    float logit = logits[token * count + lane];
#elif defined(WL_FAULT_ROW)
    float logit = lane < count ? logits[token * 32 + lane] : -CUDART_INF_F;
#else
    float logit = lane < count ? logits[token * count + lane] : -CUDART_INF_F;
#endif
    const float most = warp_max(logit);
    WL_LANES("most", most);
#ifdef WL_FAULT_TOTAL
    float best[kBest], total;
#else
    float best[kBest], total = 0.0f;
#endif
    for (int k = 0; k < kBest; ++k) {
        const float top = warp_max(logit);
        const unsigned holders = __ballot_sync(0xffffffff, logit == top);
#ifdef WL_FAULT_BASE
        const int expert = __ffs(holders);
#else
        const int expert = __ffs(holders) - 1;
#endif
#ifdef WL_FAULT_SIGN
        best[k] = __expf(most - top);
#else
        best[k] = __expf(top - most);
#endif
#ifdef WL_FAULT_KEEP
        total = best[k];
#else
        total += best[k];
#endif
#ifndef WL_FAULT_AGAIN
        if (lane == expert) logit = -CUDART_INF_F;
#endif
        if (lane == 0) {
            experts[token * kBest + k] = expert;
#ifdef WL_FAULT_TOKEN
            atomicAdd(&loads[token % count], 1);
#else
            atomicAdd(&loads[expert], 1);
#endif
        }
    }
#ifdef WL_FAULT_SHARE
    if (lane < kBest) weights[token * kBest + lane] = lane == 0 ? best[0] : best[1];
#else
    if (lane < kBest) weights[token * kBest + lane] = (lane == 0 ? best[0] : best[1]) / total;
#endif
}
