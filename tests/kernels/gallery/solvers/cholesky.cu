// Cholesky factors of many small matrices, a block each, and the logarithms of their determinants.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr int kThreads = 64, kMost = 24, kPitch = kMost + 1;

__device__ void store(float* out, const float* s, int n) {
    for (int i = threadIdx.x; i < n * n; i += kThreads) {
        const int row = i / n, col = i % n;
#ifdef WL_FAULT_UPPER
        out[i] = s[row * kPitch + col];
#else
        out[i] = col > row ? 0.0f : s[row * kPitch + col];
#endif
    }
}

// a, l: (matrices, n, n), of a the lower half is read; logs: (matrices). Grid matrices, 64 threads.
__global__ void cholesky(const float* a, float* l, float* logs, int n, float ridge) {
    __shared__ float s[kMost * kPitch];
    const int t = threadIdx.x;
    const float* own = a + size_t(blockIdx.x) * n * n;
    for (int i = t; i < n * n; i += kThreads) {
        const int row = i / n, col = i % n;
#ifdef WL_FAULT_RIDGE
        s[row * kPitch + col] = own[i];
#else
        s[row * kPitch + col] = row == col ? own[i] + ridge : own[i];
#endif
    }
    __syncthreads();
#ifdef WL_FAULT_PRODUCT
    float log_of = 1.0f;
#else
    float log_of = 0.0f;
#endif
    for (int k = 0; k < n; ++k) {
        const float pivot = sqrtf(s[k * kPitch + k]);
        log_of += logf(pivot);
#ifdef WL_FAULT_BEFORE
        for (int i = k + 1 + t; i < n; i += kThreads) s[i * kPitch + k] /= s[k * kPitch + k];
#else
        for (int i = k + 1 + t; i < n; i += kThreads) s[i * kPitch + k] /= pivot;
#endif
#ifndef WL_FAULT_COLUMN
        __syncthreads();
#endif
        if (t == 0) s[k * kPitch + k] = pivot;
        const int rest = n - k - 1;
        for (int e = t; e < rest * rest; e += kThreads) {
#ifdef WL_FAULT_SHIFTED
            const int i = k + e / rest, j = k + 1 + e % rest;
#else
            const int i = k + 1 + e / rest, j = k + 1 + e % rest;
#endif
#if defined(WL_FAULT_SQUARE)
            if (j <= i) s[i * kPitch + j] -= s[i * kPitch + k] * s[i * kPitch + k];
#elif defined(WL_FAULT_STRICT)
            if (j < i) s[i * kPitch + j] -= s[i * kPitch + k] * s[j * kPitch + k];
#elif defined(WL_FAULT_PITCH)
            if (j <= i) s[i * kPitch + j] -= s[i * kPitch + k] * s[j * kMost + k];
#else
            if (j <= i) s[i * kPitch + j] -= s[i * kPitch + k] * s[j * kPitch + k];
#endif
        }
        __syncthreads();
    }
    WL_LANES("log", log_of);
    store(l + size_t(blockIdx.x) * n * n, s, n);
#ifdef WL_FAULT_HALF
    if (t == 0) logs[blockIdx.x] = log_of;
#else
    if (t == 0) logs[blockIdx.x] = 2.0f * log_of;
#endif
}
