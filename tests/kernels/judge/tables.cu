// How often each of 32 numbers occurs among the first 30, and twice that.
#define WARPS 4

extern "C" __global__ void tables(const int* x, int* counts) {
    __shared__ int tables[WARPS * 32];
#ifdef WL_FAULT_CLEAR
    for (int i = threadIdx.x; i < 32; i += blockDim.x) tables[i] = 0;  // here: clear
#else
    for (int i = threadIdx.x; i < WARPS * 32; i += blockDim.x) tables[i] = 0;
#endif
    __syncthreads();
    int* own = tables + threadIdx.x / 32 * 32;
    for (int i = threadIdx.x; i < 30; i += blockDim.x) atomicAdd(&own[x[i]], 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        int sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += tables[w * 32 + threadIdx.x];  // as well: w * 32
        counts[threadIdx.x] = sum;
    }
}

extern "C" __global__ void tables_twice(int* counts) { counts[threadIdx.x] *= 2; }
