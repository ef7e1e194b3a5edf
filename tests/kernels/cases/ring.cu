// Every fourth thread of a block takes the mean with the next one of its kind, several times over.

// in, out: (64). Grid (1), block (64).
extern "C" __global__ void ring(const float* in, float* out, int rounds) {
    __shared__ float held[64];
    const int t = threadIdx.x;
    float mine = in[t];
    held[t] = mine;
#if defined(WL_FAULT_BEFORE)
    __syncthreads();
    if (t % 4 == 0)
        for (int r = 0; r < rounds; ++r) {
            held[t] = mine;  // here: before
            mine = 0.5f * (mine + held[(t + 4) % 64]);
        }
#elif defined(WL_FAULT_INSIDE)
    if (t % 4 == 0)
        for (int r = 0; r < rounds; ++r) {
            held[t] = mine;
            __syncthreads();  // here: inside
            mine = 0.5f * (mine + held[(t + 4) % 64]);
            __syncthreads();
        }
#else
    for (int r = 0; r < rounds; ++r) {
        if (t % 4 == 0) held[t] = mine;
        __syncthreads();
        if (t % 4 == 0) mine = 0.5f * (mine + held[(t + 4) % 64]);
        __syncthreads();
    }
#endif
    out[t] = mine;
}
