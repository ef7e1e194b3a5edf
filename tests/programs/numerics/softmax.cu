// Stresses: the online softmax (running maximum and rescaled sum), infinities in masked elements, expf.
#include <math_constants.h>

extern "C" __global__ void softmax(const float* in, float* out, int columns, int visible) {
    __shared__ float maxima[32], sums[32];
    const float* row = in + blockIdx.x * columns;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float largest = -CUDART_INF_F, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float x = i < visible ? row[i] : -CUDART_INF_F, higher = fmaxf(largest, x);
        if (higher == -CUDART_INF_F) continue;
        sum = sum * expf(largest - higher) + expf(x - higher);
        largest = higher;
    }
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(0xffffffff, largest, step),
                    more = __shfl_xor_sync(0xffffffff, sum, step);
        const float higher = fmaxf(largest, other);
        sum = higher == -CUDART_INF_F ? 0.0f : sum * expf(largest - higher) + more * expf(other - higher);
        largest = higher;
    }
    if (lane == 0) {
        maxima[warp] = largest;
        sums[warp] = sum;
    }
    __syncthreads();
    largest = -CUDART_INF_F;
    for (int w = 0; w < warps; ++w) largest = fmaxf(largest, maxima[w]);
    sum = 0;
    for (int w = 0; w < warps; ++w) sum += sums[w] * expf(maxima[w] - largest);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = i < visible ? expf(row[i] - largest) / sum : 0.0f;
}
