// Stresses: arrays a thread that are indexed by data and so lie in local memory, of bytes and of structs,
// pointers into them passed to a function, values that cross between the lanes' copies.

struct Entry {
    short key;
    float weight;
};

__noinline__ __device__ float lightest(const Entry* entries, int n, int* at) {
    *at = 0;
    for (int i = 1; i < n; ++i)
        if (entries[i].weight < entries[*at].weight) *at = i;
    return entries[*at].weight;
}

extern "C" __global__ void local_arrays(const unsigned char* in, float* out, int* indices) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char counts[32] = {};
    Entry entries[12];
    for (int k = 0; k < 24; ++k) ++counts[in[i * 24 + k] % 32];
    for (int k = 0; k < 12; ++k)
        entries[k] = {static_cast<short>(in[i * 24 + k]), counts[in[i * 24 + 2 * k] % 32] * 0.5f + k};
    int at;
    float sum = lightest(entries, 12, &at);
    for (int k = 0; k < 32; ++k) sum += counts[(k * 5 + i) % 32] * k;
    entries[at].key = 7;
    out[i] = sum + entries[i % 12].key + __shfl_xor_sync(0xffffffff, counts[i % 32], 1);
    indices[i] = at;
}
