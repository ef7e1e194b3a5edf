// Warps of a block hand a value on through a flag in shared memory: a wait that nobody ends.

// in, out: (blocks). Grid (blocks), block (64).
extern "C" __global__ void relay(const int* in, int* out) {
    __shared__ unsigned flag;
    __shared__ int value;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = in[blockIdx.x] + 1;
        __threadfence_block();
#ifndef WL_FAULT_DEAF
        atomicExch(&flag, 1u);
#endif
    }
    if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0u) == 0) {}  // here: deaf
        __threadfence_block();
        out[blockIdx.x] = value;
    }
}
