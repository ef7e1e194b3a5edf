// How often each of 32 numbers occurs: a table for each warp, and then their sum.
#define WARPS 4

extern "C" __global__ void parts(const int* x, int* counts, int n) {
    __shared__ int tables[WARPS * 32];
#ifdef WL_FAULT_CLEAR
    for (int i = threadIdx.x; i < 32; i += blockDim.x) tables[i] = 0;  // here: clear
#else
    for (int i = threadIdx.x; i < WARPS * 32; i += blockDim.x) tables[i] = 0;
#endif
    __syncthreads();
    int* own = tables + threadIdx.x / 32 * 32;
#ifdef WL_FAULT_STEP
    for (int i = threadIdx.x; i < n; i += 1) atomicAdd(&own[x[i]], 1);  // here: step
#else
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&own[x[i]], 1);
#endif
    __syncthreads();
    if (threadIdx.x < 32) {
        int sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += tables[w * 32 + threadIdx.x];  // as well: w * 32
        counts[threadIdx.x] = sum;
    }
}
