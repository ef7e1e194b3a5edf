// Stresses: a tree reduction in dynamic shared memory, block barriers in a loop, a block that is no power of
// two.

extern "C" __global__ void reduce_shared(const double* values, double* sums, int n) {
    extern __shared__ double partial[];
    const int thread = threadIdx.x;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) sum += values[i];
    partial[thread] = sum;
    __syncthreads();
    for (int active = blockDim.x; active > 1;) {
        const int half = (active + 1) / 2;
        if (thread < active / 2) partial[thread] += partial[thread + half];
        active = half;
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = partial[0];
}
