// Gradients of group norm: a block a group of channels of one image; two sums over it by a tree in shared
// memory, then dx; dgamma and dbeta are added up over images.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr int kThreads = 128;

// Of one group: its gradients, inputs and channels begin at the pointers.
__device__ void add_channels(
    const float* dy, const float* x, float mu, float inv, float* dgamma, float* dbeta, int width, int pixels
) {
#ifdef WL_FAULT_WIDTH
    for (int c = threadIdx.x / 32; c < width - 1; c += kThreads / 32) {
#else
    for (int c = threadIdx.x / 32; c < width; c += kThreads / 32) {
#endif
        float scale = 0.0f, shift = 0.0f;
        for (int i = threadIdx.x % 32; i < pixels; i += 32) {
#ifdef WL_FAULT_PIXEL
            const size_t at = c * width + i;
#else
            const size_t at = c * pixels + i;
#endif
            scale += dy[at] * (x[at] - mu) * inv;
            shift += dy[at];
        }
        for (int o = 16; o > 0; o /= 2) {
            scale += __shfl_down_sync(0xffffffff, scale, o);
            shift += __shfl_down_sync(0xffffffff, shift, o);
        }
        if (threadIdx.x % 32 == 0) {
            atomicAdd(dgamma + c, scale);
#ifdef WL_FAULT_SET
            dbeta[c] = shift;
#else
            atomicAdd(dbeta + c, shift);
#endif
        }
    }
}

// dy, x, dx: (images, groups * width, pixels), mean, inverse: (images, groups), gamma, dgamma, dbeta:
// (groups * width). Grid (groups, images), 128 threads.
__global__ void group_norm_backward(
    const float* dy,
    const float* x,
    const float* mean,
    const float* inverse,
    const float* gamma,
    float* dx,
    float* dgamma,
    float* dbeta,
    int groups,
    int width,
    int pixels
) {
    __shared__ float2 sums[kThreads];
    const int t = threadIdx.x, group = blockIdx.x, image = blockIdx.y, n = width * pixels;
#ifdef WL_FAULT_STATS
    const float mu = mean[image * width + group], inv = inverse[image * groups + group];
#else
    const float mu = mean[image * groups + group], inv = inverse[image * groups + group];
#endif
    const size_t first = (size_t(image) * groups + group) * n;
    float2 own = make_float2(0.0f, 0.0f);
    for (int i = t; i < n; i += kThreads) {
        const float normal = (x[first + i] - mu) * inv;
#ifdef WL_FAULT_GAMMA
        const float g = dy[first + i];
#else
        const float g = dy[first + i] * gamma[group * width + i / pixels];
#endif
        own.x += g;
#ifdef WL_FAULT_PLAIN
        own.y += g * x[first + i];
#else
        own.y += g * normal;
#endif
    }
    sums[t] = own;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) {
            sums[t].x += sums[t + half].x;
#ifdef WL_FAULT_OTHER
            sums[t].y += sums[t + half].x;
#else
            sums[t].y += sums[t + half].y;
#endif
        }
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
    const float mean_g = sums[0].x / n, mean_gx = sums[0].y / n;
    WL_LANES("mean_g", mean_g);
    for (int i = t; i < n; i += kThreads) {
        const float normal = (x[first + i] - mu) * inv;
        const float g = dy[first + i] * gamma[group * width + i / pixels];
#if defined(WL_FAULT_CENTRE)
        dx[first + i] = inv * (g - normal * mean_gx);
#elif defined(WL_FAULT_SCALE)
        dx[first + i] = g - mean_g - normal * mean_gx;
#else
        dx[first + i] = inv * (g - mean_g - normal * mean_gx);
#endif
    }
    add_channels(
        dy + first, x + first, mu, inv, dgamma + group * width, dbeta + group * width, width, pixels
    );
}
