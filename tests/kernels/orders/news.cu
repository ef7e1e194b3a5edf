// Block 0 writes a row and sets a flag after it; block 1 copies the row.

// in, row, out: (64), flag: (1). Grid (2), block (64).
extern "C" __global__ void news(const int* in, int* row, int* flag, int* out) {
    const int i = threadIdx.x;
    __shared__ int seen;
    if (blockIdx.x == 0) {
        row[i] = in[i];
        __syncthreads();
        if (i == 0) asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
        return;
    }
    if (i == 0) {
        int now = 0;
#ifdef WL_FAULT_GLANCE
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");  // one look
#else
        do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");
        while (now == 0);
#endif
        seen = now;
    }
    __syncthreads();
    out[i] = seen ? row[i] : -1;
}
