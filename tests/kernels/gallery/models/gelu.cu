// y = dropout(gelu(x + bias)) by the tanh formula, on pairs of halves; the dropout mask has a bit an element.
#include <cuda_fp16.h>

__device__ float gelu(float v) {
#if defined(WL_FAULT_CUBE)
    const float inner = 0.79788456f * (v + 0.044715f * v * v);
#elif defined(WL_FAULT_ROOT)
    const float inner = 0.8f * (v + 0.04f * v * v * v);
#else
    const float inner = 0.79788456f * (v + 0.044715f * v * v * v);
#endif
#ifdef WL_FAULT_MINUS
    return 0.5f * v * (1.0f - tanhf(inner));
#else
    return 0.5f * v * (1.0f + tanhf(inner));
#endif
}

// x, y: (rows, cols), bias: (cols), mask: (rows, ceil(cols / 32)); cols even. A thread two elements, 128 a
// block.
__global__ void gelu_dropout(
    const half* x, const half* bias, const unsigned* mask, half* y, int rows, int cols, float keep
) {
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(WL_FAULT_GUARD)
#elif defined(WL_FAULT_EXTENT)
    if (pair >= rows * (cols / 2 - 1)) return;
#else
    if (pair >= rows * cols / 2) return;
#endif
#ifdef WL_FAULT_ROW
    const int row = pair / cols, col = pair % (cols / 2) * 2;
#else
    const int row = pair / (cols / 2), col = pair % (cols / 2) * 2;
#endif
#ifdef WL_FAULT_STEP
    const half2 in = *reinterpret_cast<const half2*>(x + pair);
#else
    const half2 in = *reinterpret_cast<const half2*>(x + 2 * pair);
#endif
#ifdef WL_FAULT_BIAS
    const half2 b = *reinterpret_cast<const half2*>(bias + row * 2);
#else
    const half2 b = *reinterpret_cast<const half2*>(bias + col);
#endif
#ifdef WL_FAULT_SCALED
    const float2 v = __half22float2(__hmul2(__hadd2(in, b), __float2half2_rn(16384.0f)));
#else
    const float2 v = __half22float2(__hadd2(in, b));
#endif
#ifdef WL_FAULT_WORDS
    const unsigned bits = mask[row * (cols / 32) + col / 32];
#else
    const unsigned bits = mask[row * ((cols + 31) / 32) + col / 32];
#endif
#ifdef WL_FAULT_BIT
    const float first = bits >> (col + 1) % 32 & 1 ? gelu(v.x) / keep : 0.0f;
#else
    const float first = bits >> col % 32 & 1 ? gelu(v.x) / keep : 0.0f;
#endif
#if defined(WL_FAULT_AGAIN)
    const float second = bits >> (col + 1) % 32 & 1 ? gelu(v.x) / keep : 0.0f;
#elif defined(WL_FAULT_SCALE)
    const float second = bits >> (col + 1) % 32 & 1 ? gelu(v.y) : 0.0f;
#else
    const float second = bits >> (col + 1) % 32 & 1 ? gelu(v.y) / keep : 0.0f;
#endif
#ifdef WL_FAULT_SWAP
    *reinterpret_cast<half2*>(y + 2 * pair) = __floats2half2_rn(second, first);
#else
    *reinterpret_cast<half2*>(y + 2 * pair) = __floats2half2_rn(first, second);
#endif
}
