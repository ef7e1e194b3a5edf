// A step of AdamW: moments, their bias corrected, decay apart from the gradient, and a copy in half
// precision.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr float kBeta1 = 0.9f, kBeta2 = 0.95f, kEpsilon = 1e-8f;

// All arrays: (n), n a multiple of 4. A thread four elements, 128 threads a block.
__global__ void adamw(
    float* weights,
    half* halves,
    const float* gradients,
    float* m,
    float* v,
    int n,
    int step,
    float rate,
    float decay
) {
#ifdef WL_FAULT_APART
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 3;
#else
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#endif
#if defined(WL_FAULT_GUARD)
#elif defined(WL_FAULT_EDGE)
    if (i > n) return;
#else
    if (i >= n) return;
#endif
    const float4 g4 = *reinterpret_cast<const float4*>(gradients + i);
    const float4 w4 = *reinterpret_cast<const float4*>(weights + i);
    const float g[4] = {g4.x, g4.y, g4.z, g4.w}, w[4] = {w4.x, w4.y, w4.z, w4.w};
#ifdef WL_FAULT_POWER
    const float correction1 = 1.0f - kBeta1 * step, correction2 = 1.0f - powf(kBeta2, step);
#else
    const float correction1 = 1.0f - powf(kBeta1, step), correction2 = 1.0f - powf(kBeta2, step);
#endif
#ifdef WL_FAULT_THREE
    for (int j = 0; j < 3; ++j)
#else
    for (int j = 0; j < 4; ++j)
#endif
    {
#if defined(WL_FAULT_BLEND)
        const float m1 = (1.0f - kBeta1) * g[j];
#elif defined(WL_FAULT_HALF)
        const float m1 = __half2float(__float2half(kBeta1 * m[i + j] + (1.0f - kBeta1) * g[j]));
#else
        const float m1 = kBeta1 * m[i + j] + (1.0f - kBeta1) * g[j];
#endif
#ifdef WL_FAULT_INDEX
        const float v1 = kBeta2 * v[j] + (1.0f - kBeta2) * g[j] * g[j];
#else
        const float v1 = kBeta2 * v[i + j] + (1.0f - kBeta2) * g[j] * g[j];
#endif
        m[i + j] = m1;
#ifndef WL_FAULT_KEEP
        v[i + j] = v1;
#endif
#ifdef WL_FAULT_CORRECT
        const float m_hat = m1, update = m_hat / (sqrtf(v1 / correction2) + kEpsilon);
#else
        const float m_hat = m1 / correction1, update = m_hat / (sqrtf(v1 / correction2) + kEpsilon);
#endif
        WL_LANES("m_hat", m_hat);
#ifdef WL_FAULT_SIGN
        const float next = w[j] - rate * (update - decay * w[j]);
#else
        const float next = w[j] - rate * (update + decay * w[j]);
#endif
        weights[i + j] = next;
#ifdef WL_FAULT_OLD
        halves[i + j] = __float2half(w[j]);
#else
        halves[i + j] = __float2half(next);
#endif
    }
}
