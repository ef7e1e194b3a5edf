// The backward pass of layer norm: warps stride over rows, a block's shares of the weights' gradients are
// gathered in shared memory and added to those of others.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

__device__ float warp_mean(float v, int count) {
#ifdef WL_FAULT_TWO
    for (int o = 16; o > 0; o /= 2) v += v + __shfl_xor_sync(0xffffffff, v, o);
#else
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
#endif
    return v / count;
}

// dy, x, dx: (rows, cols), gamma, dgamma, dbeta: (cols), mean, rstd: (rows). Block (32, 4); shared: 2 x cols
// floats.
__global__ void layer_norm_backward(
    const float* dy,
    const float* x,
    const float* gamma,
    const float* mean,
    const float* rstd,
    float* dx,
    float* dgamma,
    float* dbeta,
    int rows,
    int cols
) {
    extern __shared__ float sums[];
    const int t = threadIdx.y * 32 + threadIdx.x;
#ifdef WL_FAULT_ZERO
    for (int c = t; c < cols; c += 128) sums[c] = 0.0f;
#else
    for (int c = t; c < 2 * cols; c += 128) sums[c] = 0.0f;
#endif
#ifndef WL_FAULT_SYNC
    __syncthreads();
#endif
#ifdef WL_FAULT_STRIDE
    for (int row = blockIdx.x * 4 + threadIdx.y; row < rows; row += gridDim.x)
#else
    for (int row = blockIdx.x * 4 + threadIdx.y; row < rows; row += gridDim.x * 4)
#endif
    {
        float mean_dn = 0.0f, mean_dn_n = 0.0f;
        for (int c = threadIdx.x; c < cols; c += 32) {
#ifdef WL_FAULT_SCALE
            const float n = x[row * cols + c] - mean[row], g = dy[row * cols + c];
#else
            const float n = (x[row * cols + c] - mean[row]) * rstd[row], g = dy[row * cols + c];
#endif
            mean_dn += gamma[c] * g;
#ifdef WL_FAULT_LAST
            mean_dn_n = gamma[c] * g * n;
#else
            mean_dn_n += gamma[c] * g * n;
#endif
            atomicAdd(&sums[c], g * n);
#ifdef WL_FAULT_PLAIN
            atomicAdd(&sums[rows + c], g);
#else
            atomicAdd(&sums[cols + c], g);
#endif
        }
        mean_dn = warp_mean(mean_dn, cols);
        mean_dn_n = warp_mean(mean_dn_n, cols);
        WL_LANES("mean_dn", mean_dn);
        for (int c = threadIdx.x; c < cols; c += 32) {
            const float n = (x[row * cols + c] - mean[row]) * rstd[row];
#ifdef WL_FAULT_SIGN
            dx[row * cols + c] = rstd[row] * (gamma[c] * dy[row * cols + c] - mean_dn + n * mean_dn_n);
#else
            dx[row * cols + c] = rstd[row] * (gamma[c] * dy[row * cols + c] - mean_dn - n * mean_dn_n);
#endif
        }
    }
    __syncthreads();
    for (int c = t; c < cols; c += 128) {
#ifdef WL_FAULT_STORE
        dgamma[c] = sums[c];
#else
        atomicAdd(&dgamma[c], sums[c]);
#endif
        atomicAdd(&dbeta[c], sums[cols + c]);
    }
}
