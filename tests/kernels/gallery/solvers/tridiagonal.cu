// Tridiagonal systems by cyclic reduction in parallel: a block a system, a thread an equation, two buffers.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

constexpr int kMost = 128;

struct Rows {
    float a[kMost], b[kMost], c[kMost], d[kMost];
};

// a, b, c, d, x: (systems, n); a is below the diagonal, c above it. Grid systems, n threads.
__global__ void tridiagonal(const float* a, const float* b, const float* c, const float* d, float* x, int n) {
    __shared__ Rows rows[2];
    const int i = threadIdx.x;
#ifdef WL_FAULT_SYSTEM
    const size_t at = size_t(blockIdx.x) * kMost + i;
#else
    const size_t at = size_t(blockIdx.x) * n + i;
#endif
    rows[0].a[i] = i > 0 ? a[at] : 0.0f;
    rows[0].b[i] = b[at];
    rows[0].c[i] = i < n - 1 ? c[at] : 0.0f;
    rows[0].d[i] = d[at];
    int from = 0;
#ifdef WL_FAULT_REACH
    for (int reach = 1; 2 * reach < n; reach *= 2) {
#else
    for (int reach = 1; reach < n; reach *= 2) {
#endif
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
        const Rows& r = rows[from];
        Rows& to = rows[1 - from];
#if defined(WL_FAULT_EDGE)
        const int up = i - reach, down = min(i + reach, n - 1);
#elif defined(WL_FAULT_ABOVE)
        const int up = max(i - 1, 0), down = min(i + reach, n - 1);
#else
    const int up = max(i - reach, 0), down = min(i + reach, n - 1);
#endif
        const float over = i - reach >= 0 ? r.a[i] / r.b[up] : 0.0f;
#ifdef WL_FAULT_UNDER
        const float under = i + reach < n - 1 ? r.c[i] / r.b[down] : 0.0f;
#else
        const float under = i + reach < n ? r.c[i] / r.b[down] : 0.0f;
#endif
#ifdef WL_FAULT_COUPLED
        to.b[i] = r.b[i] - over * r.c[up] - under * r.c[down];
#else
        to.b[i] = r.b[i] - over * r.c[up] - under * r.a[down];
#endif
#ifdef WL_FAULT_RIGHT
        to.d[i] = r.d[i] - over * r.d[up] + under * r.d[down];
#else
        to.d[i] = r.d[i] - over * r.d[up] - under * r.d[down];
#endif
        to.a[i] = -over * r.a[up];
        to.c[i] = -under * r.c[down];
        WL_LANES("over", over);
#ifndef WL_FAULT_TURN
        from = 1 - from;
#endif
    }
#ifdef WL_FAULT_FIRST
    x[at] = rows[0].d[i] / rows[from].b[i];
#else
    x[at] = rows[from].d[i] / rows[from].b[i];
#endif
}
