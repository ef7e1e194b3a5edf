// Blocks meet at a counter in global memory after each round.
__device__ void meet(unsigned* come) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned turn = atomicAdd(come, 1u) / gridDim.x;
#ifdef WL_FAULT_APART
        if (blockIdx.x % 2 == 0)
            while (atomicAdd(come, 0u) < 100) {}  // here: apart
        else
            while (atomicAdd(come, 0u) < 200) {}  // and here
#elif defined(WL_FAULT_MISSED)
        while (atomicAdd(come, 0u) % gridDim.x != 0) {}  // here: missed
#else
        while (atomicAdd(come, 0u) / gridDim.x == turn) {}
#endif
        __threadfence();
    }
    __syncthreads();
}

// a, b: (BLOCKS * 32), come: (1). Grid (BLOCKS), block (32).
extern "C" __global__ void rounds(float* a, float* b, unsigned* come, int n, int count) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    for (int r = 0; r < count; ++r) {
        b[i] = 0.5f * (a[i] + a[(i + 1) % n]);
        meet(come);
        float* other = a;
        a = b, b = other;
    }
}
