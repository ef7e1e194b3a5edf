// The threads of a block share memory of malloc, and blocks hand theirs on.

__device__ int* latest;

// in, out: (blocks, 64). Grid (blocks), block (64).
extern "C" __global__ void shelf(const int* in, int* out) {
    __shared__ int* shelf;
    const int i = threadIdx.x, at = blockIdx.x * 64 + i;
    if (i == 0) shelf = static_cast<int*>(malloc(64 * sizeof(int)));
    __syncthreads();
    if (shelf == nullptr) return;
    shelf[i] = in[at];  // first: among; first: blocks
#ifndef WL_FAULT_AMONG
    __syncthreads();
#endif
    int value = shelf[63 - i];  // second: among
    __syncthreads();
    if (i == 0) {
#ifndef WL_FAULT_BLOCKS
        __threadfence();
#endif
        const unsigned long long mine = reinterpret_cast<unsigned long long>(shelf);
        const int* other =
            reinterpret_cast<int*>(atomicExch(reinterpret_cast<unsigned long long*>(&latest), mine));
#ifndef WL_FAULT_BLOCKS
        __threadfence();
#endif
        if (other != nullptr) value = max(value, other[0] % 2);  // second: blocks
    }
    out[at] = value;
}
