// A GPU counts threads that have returned as arrived: an early return before a barrier is allowed.

// in, out: (40). Grid (1), block (64).
extern "C" __global__ void leaves(const float* in, float* out, int n) {
    __shared__ float held[64];
    const int t = threadIdx.x;
    if (t >= n) return;
    held[t] = in[t];
    __syncthreads();
    out[t] = held[n - 1 - t];
}
