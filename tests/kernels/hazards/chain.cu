// Blocks add to one row of sums in their order: a semaphore that is acquired and released.

// in: (blocks, 64), sums: (64), turn: (1). Grid (blocks), block (64).
extern "C" __global__ void chain(const int* in, int* sums, int* turn) {
    const int i = threadIdx.x, block = blockIdx.x;
    if (i == 0) {
        int now = -1;
        do {
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
        } while (now != block);
    }
    __syncthreads();
    const int value = in[block * 64 + i];
    sums[i] = block == 0 ? value : sums[i] * 3 + value;  // here: relaxed
    __syncthreads();
    if (i == 0) {
#ifdef WL_FAULT_RELAXED
        asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(turn), "r"(block + 1) : "memory");
#else
        asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(turn), "r"(block + 1) : "memory");
#endif
    }
}
