// A warp waits for another one by a volatile flag in shared memory.

// in, out: (blocks, 32). Grid (blocks), block (64).
extern "C" __global__ void signal(const int* in, int* out) {
    __shared__ volatile int ready;
    __shared__ int values[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x >= 32) {
        values[lane] = in[blockIdx.x * 32 + lane];  // first: bare; first: blind
#ifndef WL_FAULT_BARE
        __threadfence_block();
#endif
        __syncwarp();
        if (lane == 0) ready = 1;
    } else {
#ifndef WL_FAULT_BLIND
        if (lane == 0) {
            while (ready == 0) {}
            __threadfence_block();
        }
        __syncwarp();
#endif
        out[blockIdx.x * 32 + lane] = values[31 - lane];  // second: bare; second: blind
    }
}
