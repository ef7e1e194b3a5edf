// Cross-entropy with a class that is ignored, and its gradient by the logits: one pass that keeps maximum and
// sum together, another for the gradient.
#include <math_constants.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_TILE(...)
#endif

constexpr int kWarps = 2;

struct Norm {
    float most, sum;  // of the logits; of exp(logit - most)
};

__device__ Norm merged(Norm a, Norm b) {
    const float most = fmaxf(a.most, b.most);
    if (most == -CUDART_INF_F) return a;
#if defined(WL_FAULT_OTHER)
    return {most, a.sum * __expf(a.most - most) + b.sum};
#elif defined(WL_FAULT_STABLE)
    return {0.0f, a.sum * __expf(a.most) + b.sum * __expf(b.most)};
#else
    return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
#endif
}

// logits, gradients: (rows, classes), targets, losses: (rows). Grid (rows), 64 threads.
__global__ void cross_entropy(
    const float* logits,
    const int* targets,
    float* losses,
    float* gradients,
    int rows,
    int classes,
    int ignored
) {
    __shared__ Norm part[kWarps];
#ifdef WL_FAULT_TARGET
    const int row = blockIdx.x, t = threadIdx.x, target = targets[t % rows];
#else
    const int row = blockIdx.x, t = threadIdx.x, target = targets[row];
#endif
    const float* in = logits + row * classes;
    WL_TILE("logits", in, 1, classes, classes);
#ifdef WL_FAULT_START
    Norm norm = {in[0], 1.0f};
#else
    Norm norm = {-CUDART_INF_F, 0.0f};
#endif
#ifdef WL_FAULT_FIRST
    for (int c = t + 1; c < classes; c += blockDim.x) norm = merged(norm, {in[c], 1.0f});
#else
    for (int c = t; c < classes; c += blockDim.x) norm = merged(norm, {in[c], 1.0f});
#endif
#ifdef WL_FAULT_OFFSET
    for (int o = 8; o > 0; o /= 2)
#else
    for (int o = 16; o > 0; o /= 2)
#endif
#ifdef WL_FAULT_AGAIN
        norm =
            merged(norm, {__shfl_xor_sync(~0u, norm.most, o), norm.sum + __shfl_xor_sync(~0u, norm.sum, o)});
#else
        norm = merged(norm, {__shfl_xor_sync(~0u, norm.most, o), __shfl_xor_sync(~0u, norm.sum, o)});
#endif
    if (t % 32 == 0) part[t / 32] = norm;
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
#ifdef WL_FAULT_WARP
    norm = merged(part[0], part[0]);
#else
    norm = merged(part[0], part[1]);
#endif
#ifdef WL_FAULT_MOST
    if (t == 0) losses[row] = target == ignored ? 0.0f : __logf(norm.sum) - in[target];
#else
    if (t == 0) losses[row] = target == ignored ? 0.0f : __logf(norm.sum) + norm.most - in[target];
#endif
    for (int c = t; c < classes; c += blockDim.x) {
        const float p = __expf(in[c] - norm.most) / norm.sum;
#if defined(WL_FAULT_SIGN)
        gradients[row * classes + c] = target == ignored ? 0.0f : p + (c == target ? 1.0f : 0.0f);
#elif defined(WL_FAULT_MASK)
        gradients[row * classes + c] = target <= ignored + 1 ? 0.0f : p - (c == target ? 1.0f : 0.0f);
#else
        gradients[row * classes + c] = target == ignored ? 0.0f : p - (c == target ? 1.0f : 0.0f);
#endif
    }
}
