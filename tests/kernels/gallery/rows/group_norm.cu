// Group norm of images: a block a group of channels of one image, sums over its pixels by warps, then scale
// and shift a channel.
constexpr int kThreads = 128, kWarps = kThreads / 32;
constexpr float kEpsilon = 1e-5f;

struct Sums {
    float sum, square;
};

__device__ Sums over_warp(Sums v) {
#ifdef WL_FAULT_STEPS
    for (int o = 8; o > 0; o /= 2) {
#else
    for (int o = 16; o > 0; o /= 2) {
#endif
        v.sum += __shfl_xor_sync(0xffffffff, v.sum, o);
#ifdef WL_FAULT_MIXED
        v.square += __shfl_xor_sync(0xffffffff, v.sum, o);
#else
        v.square += __shfl_xor_sync(0xffffffff, v.square, o);
#endif
    }
    return v;
}

// x, y: (images, groups * width, pixels), gamma, beta: (groups * width). Grid (groups, images), 128 threads.
__global__ void group_norm(
    const float* x, const float* gamma, const float* beta, float* y, int groups, int width, int pixels
) {
    __shared__ Sums parts[kWarps];
    const int n = width * pixels, t = threadIdx.x, group = blockIdx.x;
#ifdef WL_FAULT_IMAGE
    const size_t first = (size_t(blockIdx.y) * width + group) * n;
#else
    const size_t first = (size_t(blockIdx.y) * groups + group) * n;
#endif
    Sums own = {0.0f, 0.0f};
#ifdef WL_FAULT_ENTRY
    for (int i = t + 1; i < n; i += kThreads) {
#else
    for (int i = t; i < n; i += kThreads) {
#endif
        const float v = x[first + i];
        own.sum += v;
        own.square += v * v;
    }
    own = over_warp(own);
    if (t % 32 == 0) parts[t / 32] = own;
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
    Sums all = {0.0f, 0.0f};
    for (int w = 0; w < kWarps; ++w) {
        all.sum += parts[w].sum;
        all.square += parts[w].square;
    }
#ifdef WL_FAULT_COUNT
    const float mean = all.sum / pixels;
#else
    const float mean = all.sum / n;
#endif
#ifdef WL_FAULT_CENTRE
    const float scale = rsqrtf(all.square / n + kEpsilon);
#else
    const float scale = rsqrtf(all.square / n - mean * mean + kEpsilon);
#endif
    for (int i = t; i < n; i += kThreads) {
#ifdef WL_FAULT_CHANNEL
        const int c = group * width + i % width;
#else
        const int c = group * width + i / pixels;
#endif
        y[first + i] = (x[first + i] - mean) * scale * gamma[c] + beta[c];
    }
}
