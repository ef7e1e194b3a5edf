// Teams of eight lanes exchange values through shared memory.

// in, out: (64). Grid (1), block (64).
extern "C" __global__ void teams(const float* in, float* out) {
    __shared__ float held[64];
    const int t = threadIdx.x, lane = t % 32;
#ifdef WL_FAULT_STRANGE
    const unsigned team = 0xffu << lane % 4 * 8;
#else
    const unsigned team = 0xffu << lane / 8 * 8;
#endif
    held[t] = in[t];
    __syncwarp(team);  // here: strange
    out[t] = held[t ^ 1];
}
