// The elements that are even, one after the other.

// in, out: (n), count: (1). Grid (n / 64), block (64). `out` holds 0 where nothing comes to lie.
extern "C" __global__ void keep(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (in[i] % 2 != 0) return;
#ifdef WL_FAULT_SLOTS
    out[atomicAdd(count, 1)] = 1 + in[i];  // first come, first served
#else
    int before = 0;
    for (int k = 0; k < i; ++k) before += in[k] % 2 == 0;
    out[before] = 1 + in[i];
    atomicAdd(count, 1);
#endif
}
