// Threads take memory from the device's heap: used when given back, given back twice, left behind.

// in, out: (blocks, 32). Grid (blocks), block (32). Every eighth thread keeps its own: no fault.
extern "C" __global__ void pool(const int* in, int* out) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int* mine = static_cast<volatile int*>(malloc(16 * sizeof(int)));
    if (mine == nullptr) return;
    for (int k = 0; k < 16; ++k) mine[k] = in[at] + k;
#ifdef WL_FAULT_AFTER
    free(const_cast<int*>(mine));
#endif
#ifdef WL_FAULT_PAST
    int sum = mine[16];  // here: past
#else
    int sum = 0;
#endif
    for (int k = 0; k < 16; ++k) sum += mine[k];  // here: after
    out[at] = sum;
#ifndef WL_FAULT_AFTER
    if (at % 8 != 0) free(const_cast<int*>(mine));
#endif
#ifdef WL_FAULT_TWICE
    if (at % 8 == 1) free(const_cast<int*>(mine));  // here: twice
#endif
}
