// Batch norm in training: a block a channel, first its mean, then its variance, then the elements.
#include <cuda_fp16.h>

constexpr int kThreads = 128;

__device__ float block_sum(float v, float* part) {
    part[threadIdx.x] = v;
    for (int half = kThreads / 2; half > 0; half /= 2) {
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
#ifdef WL_FAULT_NEXT
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + 1];
#else
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
#endif
    }
    __syncthreads();
    const float sum = part[0];
    __syncthreads();
    return sum;
}

// x, y: (n, channels, size), the others: (channels). Grid (channels), 128 threads.
__global__ void batch_norm(
    const float* x,
    const float* gamma,
    const float* beta,
    float* y,
    float* running_mean,
    float* running_variance,
    int n,
    int channels,
    int size,
    float momentum
) {
    __shared__ float part[kThreads];
#ifdef WL_FAULT_COUNT
    const int c = blockIdx.x, count = channels * size;
#else
    const int c = blockIdx.x, count = n * size;
#endif
#ifdef WL_FAULT_HALF
    half sum = 0.0f;
    float squares = 0.0f;
#else
    float sum = 0.0f, squares = 0.0f;
#endif
#if defined(WL_FAULT_IMAGE)
    for (int i = threadIdx.x; i < count; i += kThreads) sum += x[(i / size * n + c) * size + i % size];
#elif defined(WL_FAULT_ONCE)
    for (int i = threadIdx.x; i < size; i += kThreads) sum += x[(i / size * channels + c) * size + i % size];
#else
    for (int i = threadIdx.x; i < count; i += kThreads) sum += x[(i / size * channels + c) * size + i % size];
#endif
    const float mean = block_sum(sum, part) / count;
    for (int i = threadIdx.x; i < count; i += kThreads) {
        const float d = x[(i / size * channels + c) * size + i % size] - mean;
#ifdef WL_FAULT_SQUARE
        squares = d * d;
#else
        squares += d * d;
#endif
    }
#ifdef WL_FAULT_WEIGHT
    const float variance = block_sum(squares, part) / count, scale = gamma[c];
#else
    const float variance = block_sum(squares, part) / count, scale = gamma[c] * rsqrtf(variance + 1e-5f);
#endif
    for (int i = threadIdx.x; i < count; i += kThreads) {
        const int at = (i / size * channels + c) * size + i % size;
#ifdef WL_FAULT_PLUS
        y[at] = (x[at] - mean) * scale - beta[c];
#else
        y[at] = (x[at] - mean) * scale + beta[c];
#endif
    }
    if (threadIdx.x == 0) {
#ifdef WL_FAULT_BLEND
        running_mean[c] = running_mean[c] + momentum * mean;
#else
        running_mean[c] = (1.0f - momentum) * running_mean[c] + momentum * mean;
#endif
#ifdef WL_FAULT_RATIO
        running_variance[c] =
            (1.0f - momentum) * running_variance[c] + momentum * variance * (count / (count - 1));
#else
        running_variance[c] =
            (1.0f - momentum) * running_variance[c] + momentum * variance * count / (count - 1);
#endif
    }
}
