// Sums over pieces of a row, with barriers that all threads reach.

// in, out: (100). Grid (1), block (64).
extern "C" __global__ void edges(const float* in, float* out, int n) {
    __shared__ float held[64];
    const int t = threadIdx.x;
#if defined(WL_FAULT_ELSE)
    if (t % 4 == 0) {
        held[t] = in[t];
        __syncthreads();  // here: else
        out[t] = held[(t + 4) % 64];
        __syncthreads();
    } else {
        out[t] = in[t];
    }
#elif defined(WL_FAULT_TURNS)
    for (int i = t; i < n; i += 64) {
        held[t] = in[i];
        __syncthreads();  // here: turns
        out[i] = held[t] + held[t / 2 * 2];
        __syncthreads();
    }
#else
    for (int first = 0; first < n; first += 64) {
        if (first + t < n) held[t] = in[first + t];
        __syncthreads();
        if (first + t < n) out[first + t] = held[t] + held[t / 2 * 2];
        __syncthreads();
    }
#endif
}
