// A block adds its values and hands the sum to every thread: barriers that not every thread reaches.

// in, out: (n), n not a multiple of the block's 96 threads. Grid (ceil(n / 96)), block (96).
extern "C" __global__ void gather(const float* in, float* out, int n) {
    __shared__ float values[96];
    __shared__ float sum;
    const int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;
#ifdef WL_FAULT_EXIT
    if (at >= n) return;  // those who left count as arrived at every barrier
#endif
    values[i] = at < n ? in[at] : 0.0f;
#ifdef WL_FAULT_DIVERGENT
    if (at % 2 == 0) __syncthreads();  // first: divergent
#else
    __syncthreads();
#endif
    if (i == 0) {
        float total = 0.0f;
        for (int k = 0; k < blockDim.x; ++k) total += values[k];  // here: exit
        sum = total;
#ifdef WL_FAULT_PAIRED
        __syncthreads();  // first: paired
        out[at] = total;
        return;
#endif
    }
    __syncthreads();            // second: paired; second: divergent
    if (at < n) out[at] = sum;  // here: exit
}
