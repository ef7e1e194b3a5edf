// Stresses: attention as one writes it first: a query a thread, keys and values in shared memory, scores in
// an array, a causal mask, __expf.
#include <math_constants.h>

constexpr int kDepth = 16, kKeys = 32;

extern "C" __global__ void attention(const float* q, const float* k, const float* v, float* out, int length) {
    __shared__ float keys[kKeys][kDepth], values[kKeys][kDepth];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float query[kDepth], sum[kDepth] = {}, largest = -CUDART_INF_F, total = 0;
    for (int d = 0; d < kDepth; ++d) query[d] = q[row * kDepth + d] * 0.25f;
    for (int first = 0; first < length; first += kKeys) {
        __syncthreads();
        for (int e = threadIdx.x; e < kKeys * kDepth; e += blockDim.x) {
            keys[e / kDepth][e % kDepth] = k[first * kDepth + e];
            values[e / kDepth][e % kDepth] = v[first * kDepth + e];
        }
        __syncthreads();
        float scores[kKeys], higher = largest;
        for (int j = 0; j < kKeys; ++j) {
            float dot = 0;
            for (int d = 0; d < kDepth; ++d) dot += query[d] * keys[j][d];
            scores[j] = first + j <= row ? dot : -CUDART_INF_F;
            higher = fmaxf(higher, scores[j]);
        }
        if (higher == -CUDART_INF_F) continue;
        const float scale = __expf(largest - higher);
        total *= scale;
        for (int d = 0; d < kDepth; ++d) sum[d] *= scale;
        for (int j = 0; j < kKeys; ++j) {
            const float weight = __expf(scores[j] - higher);
            total += weight;
            for (int d = 0; d < kDepth; ++d) sum[d] += weight * values[j][d];
        }
        largest = higher;
    }
    for (int d = 0; d < kDepth; ++d) out[row * kDepth + d] = sum[d] / total;
}
