// A warp adds up what its block holds, written for lanes that go together: volatile accesses alone.

// in: (blocks, 64), out: (blocks). Grid (blocks), block (64).
extern "C" __global__ void steps(const int* in, int* out) {
    __shared__ volatile int sums[64];
    const int i = threadIdx.x;
    sums[i] = in[blockIdx.x * 64 + i];
    __syncthreads();
    if (i >= 32) return;
    int sum = sums[i] + sums[i + 32];
    for (int step = 16; step > 0; step /= 2) {
#ifndef WL_FAULT_TOGETHER
        __syncwarp();
#endif
        sums[i] = sum;  // first: together
#ifndef WL_FAULT_TOGETHER
        __syncwarp();
#endif
        sum += sums[i ^ step];  // second: together
    }
    if (i == 0) out[blockIdx.x] = sum;
}
