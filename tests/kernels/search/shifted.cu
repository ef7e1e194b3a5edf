// Rows with their mean taken off, summed by functions of headers of the kernel's own.
#include "parts/sum.cuh"
#include "parts/warp.cuh"

__global__ void shifted(const float* x, float* y, int cols) {
    __shared__ float parts[4];
    const int row = blockIdx.x;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
#if defined(WL_FAULT_FAR)
        if (c < 65536) sum += x[row * cols + c];
#else
        sum += x[row * cols + c];
#endif
    const float mean = block_sum(sum, parts) / cols;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
#if defined(WL_FAULT_SOURCE)
        y[row * cols + c] = x[row * cols + c] + mean;
#else
        y[row * cols + c] = x[row * cols + c] - mean;
#endif
}
