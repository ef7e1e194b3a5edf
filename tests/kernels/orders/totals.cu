// Sums of floating point values, of which those of the first block count twice: by atomics, and under a lock.

// in: (blocks, 64), sum: (64), state: (2): lock, first. Grid (blocks), block (64).
extern "C" __global__ void totals(const float* in, float* sum, int* state, int blocks) {
    const int i = threadIdx.x;
    float value = in[blockIdx.x * 64 + i];
#if defined(WL_FAULT_FIRST) || defined(WL_FAULT_TURNS)
    __shared__ int place;
    if (i == 0) place = atomicAdd(&state[1], 1);
    __syncthreads();
    if (place == 0) value *= 2;  // whoever comes first
#else
    if (blockIdx.x == 0) value *= 2;
#endif
#if defined(WL_FAULT_LOCKED) || defined(WL_FAULT_TURNS)
    if (i == 0)
        while (atomicCAS(&state[0], 0, 1) != 0) {}
    __syncthreads();
    __threadfence();
    volatile float* there = sum;
    there[i] = there[i] + value;
    __threadfence();
    __syncthreads();
    if (i == 0) atomicExch(&state[0], 0);
#else
    atomicAdd(&sum[i], value);
#endif
}
