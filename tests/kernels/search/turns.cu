// A line of values is changed in place, one half of it after the other, and then the place of the least is
// told. v, x: (n); at, where: (1), at for nobody but the launch behind
constexpr int kLanes = 32;

__global__ void start(const float* x, float* v, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = x[i];
}

// Every second value, from `half` on, where its neighbours are low.
__global__ void relax(float* v, int n, int half, float limit) {
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(WL_FAULT_HALF)
    const int i = 2 * pair;
#else
    const int i = 2 * pair + half;
#endif
    if (i >= n) return;
    const float around = 0.5f * (v[(i + n - 1) % n] + v[(i + 1) % n]);
#if defined(WL_FAULT_FEW)
    if (around < -limit) v[i] = around;
#else
    if (around < limit) v[i] = around;
#endif
}

// One warp.
__global__ void least(const float* v, int* at, int n) {
    float low = 3.0e38f;
    int id = -1;
    for (int i = threadIdx.x; i < n; i += kLanes)
        if (v[i] < low) {
            low = v[i];
            id = i;
        }
#pragma unroll
    for (int o = kLanes / 2; o > 0; o /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, low, o);
        const int j = __shfl_down_sync(0xffffffffu, id, o);
        if (other < low) {
            low = other;
#if !defined(WL_FAULT_LOST)
            id = j;
#endif
        }
    }
    if (threadIdx.x == 0) at[0] = id;
}

__global__ void tell(const int* at, int* where) {
    if (threadIdx.x == 0) where[0] = 3 * at[0] + 1;
}
