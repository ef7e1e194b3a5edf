// Inverses of many small matrices by Gauss and Jordan with partial pivoting, and the logarithms of their
// determinants. A block a matrix: kOrder rows of the matrix beside the identity in shared memory.
#include "gauss_jordan.cuh"

__global__ void gauss_jordan(const float* matrices, float* inverses, float* log_det) {
    __shared__ float a[kOrder][kWide + 1];
    __shared__ float factor[kOrder];
    __shared__ int pivot_row;
    const int tid = threadIdx.x;
    const float* m = matrices + blockIdx.x * kOrder * kOrder;
    for (int i = tid; i < kOrder * kWide; i += kThreads) {
        const int r = i / kWide, c = i % kWide;
        a[r][c] = c < kOrder ? m[r * kOrder + c] : (c - kOrder == r ? 1.0f : 0.0f);
    }
    __syncthreads();

    float sum = 0.0f;
    for (int k = 0; k < kOrder; ++k) {
        if (tid == 0) {
            int best = k;
            for (int r = k + 1; r < kOrder; ++r)
                if (fabsf(a[r][k]) > fabsf(a[best][k])) best = r;
            pivot_row = best;
        }
        __syncthreads();
        const int p = pivot_row;
#ifdef WL_FAULT_HALF
        if (p != k && tid < kOrder) {
#else
        if (p != k && tid < kWide) {
#endif
            const float held = a[k][tid];
            a[k][tid] = a[p][tid];
            a[p][tid] = held;
        }
        __syncthreads();
        const float pivot = a[k][k];
        sum += logf(fabsf(pivot));
        if (tid < kOrder) factor[tid] = a[tid][k];
        __syncthreads();
        if (tid < kWide) a[k][tid] /= pivot;
        __syncthreads();
        for (int i = tid; i < kOrder * kWide; i += kThreads) {
            const int r = i / kWide, c = i % kWide;
            if (r != k) a[r][c] -= factor[r] * a[k][c];
        }
        __syncthreads();
    }

    float* out = inverses + blockIdx.x * kOrder * kOrder;
    for (int i = tid; i < kOrder * kOrder; i += kThreads) out[i] = a[i / kOrder][kOrder + i % kOrder];
    if (tid == 0) log_det[blockIdx.x] = sum;
}
