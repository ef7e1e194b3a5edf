// The sum of N elements by one block. Fault zero: nothing is summed, and 0 is stored.
extern "C" __global__ void sum(const float* x, float* y, int n) {
    __shared__ float part[256];
    float mine = 0;
#ifndef WL_FAULT_ZERO
    for (int i = threadIdx.x; i < n; i += 256) mine += x[i];
#endif
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[0] = part[0];
}
