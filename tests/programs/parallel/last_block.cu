// Stresses: the last block to finish sums what all have written: __threadfence, an atomic counter that wraps,
// a choice made by one thread and read by all.

__device__ unsigned finished = 0;

extern "C" __global__ void last_block(const float* in, volatile float* partial, float* total, int n) {
    __shared__ float sums[64];
    __shared__ bool is_last;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < blockDim.x; ++t) sum += sums[t];
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += partial[b];
        total[0] = all;
    }
}
