// Warps with a different number of rounds: each round has a barrier, and so has the end.

// in, out: (blocks, 64). Grid (blocks), block (64).
extern "C" __global__ void rounds(const int* in, int* out, int most) {
    __shared__ int values[64];
    const int i = threadIdx.x, at = blockIdx.x * 64 + i, warp = i / 32;
    int sum = 0;
#ifdef WL_FAULT_UNEVEN
    const int own = most + warp;
#else
    const int own = most;
#endif
    for (int round = 0; round < own; ++round) {
        sum += (in[at] + warp) * round;
        __syncthreads();  // first: uneven
    }
    values[i] = sum;
    __syncthreads();  // second: uneven
    out[at] = values[63 - i];
}
