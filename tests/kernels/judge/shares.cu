// Which numbers occur, a bit each. The blocks share the elements.

// x: (n), seen: (words). Grid (blocks), block (32).
extern "C" __global__ void shares(const int* x, unsigned* seen, int n) {
#ifdef WL_FAULT_REST
    const int share = n / gridDim.x;  // here: rest
#else
    const int share = (n + gridDim.x - 1) / gridDim.x;
#endif
    const int begin = blockIdx.x * share, end = min(begin + share, n);  // as well: n
    for (int i = begin + threadIdx.x; i < end; i += 32) atomicOr(&seen[x[i] / 32], 1u << (x[i] % 32));
}
