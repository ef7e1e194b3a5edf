// Counts values in shared memory and adds the counts up in global memory: an increment beside atomics, a
// barrier too few.

// x: (n), values 0 to 63, bins: (64). Blocks of 256.
__global__ void histogram(const int* x, int* bins, int n) {
    __shared__ int local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
#ifdef WL_FAULT_BAD
        if (x[i] == 0)
            local[0]++;
        else
#endif
            atomicAdd(&local[x[i]], 1);
    }
#ifndef WL_FAULT_EARLY
    __syncthreads();
#endif
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
