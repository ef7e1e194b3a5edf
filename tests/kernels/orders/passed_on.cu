// The elements that are even, in any order, and what a second launch makes of them.

// in, kept: (n), count: (1), out: (n). `kept` is room for the launches.
__global__ void gather(const int* in, int* kept, int* count) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (in[i] % 2 == 0) kept[atomicAdd(count, 1)] = in[i];  // slots
}

__global__ void mark(const int* kept, const int* count, int* out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= count[0]) return;
#ifdef WL_FAULT_ORDER
    out[i] = kept[i];
#else
    out[kept[i]] = 1;
#endif
}
