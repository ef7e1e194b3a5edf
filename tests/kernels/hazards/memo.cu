// Blocks keep what they have computed for later ones: a race that changes no result, whoever comes first.

// in, out: (blocks, 32), table: (8), zeros. Grid (blocks), block (32).
extern "C" __global__ void memo(const int* in, int* table, int* out) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x, key = threadIdx.x % 8;
#ifdef WL_FAULT_BENIGN
    int value = table[key];  // first: benign
    if (value == 0) {
        value = (key + 1) * (key + 1);
        table[key] = value;  // second: benign
    }
#else
    int value = atomicAdd(&table[key], 0);
    if (value == 0) {
        value = (key + 1) * (key + 1);
        atomicExch(&table[key], value);
    }
#endif
    out[at] = in[at] * value;
}
