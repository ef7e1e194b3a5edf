// Blocks take turns at a sum by a lock: loops without an end, and recursion without one.

__device__ int held;

__device__ __noinline__ int depth_of(const int* next, int from) {
#ifdef WL_FAULT_STACK
    volatile int room[64];  // each call takes its own
    room[from & 63] = from;
    return 1 + depth_of(next, next[from]) + room[from & 63];  // here: stack
#else
    return next[from] == from ? 0 : 1 + depth_of(next, next[from]);
#endif
}

// next: (8), a chain that ends in itself, sum: (1). Grid (blocks), block (32).
extern "C" __global__ void lock(const int* next, int* sum) {
    const int depth = depth_of(next, threadIdx.x % 8);
    if (threadIdx.x == 0) {
        while (atomicCAS(&held, 0, 1) != 0) {}  // here: kept
        __threadfence();
        *reinterpret_cast<volatile int*>(sum) += depth + 1;
        __threadfence();
#ifndef WL_FAULT_KEPT
        atomicExch(&held, 0);
#endif
    }
#ifdef WL_FAULT_LOOP
    for (int k = 0; k < 10; k += next[7] - 7) sum[1] = k;  // here: loop
#endif
}
