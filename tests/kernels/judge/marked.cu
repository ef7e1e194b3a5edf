// As many marks as there are large numbers.
extern "C" __global__ void marked_none(int* marks, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) marks[i] = 0;
}

extern "C" __global__ void marked_large(const float* x, int* marks, int n) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (x[i] <= 0.5f) continue;
#ifdef WL_FAULT_PLAIN
        const int slot = found++;  // here: plain
#else
        const int slot = atomicAdd(&found, 1);
#endif
        marks[slot] = 1;
    }
}
