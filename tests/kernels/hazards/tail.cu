// Sums over the first lanes of a warp: the shuffle reads lanes that take no part, and nobody uses what it
// gave.

// in, out: (blocks, 32). Grid (blocks), block (32).
extern "C" __global__ void tail(const int* in, int* out, int lanes) {
    const int lane = threadIdx.x, at = blockIdx.x * 32 + lane;
    const unsigned mask = __ballot_sync(0xffffffff, lane < lanes);
    if (lane >= lanes) {
        out[at] = 0;
        return;
    }
    int sum = in[at];
    for (int step = 16; step > 0; step /= 2) {
        const int other = __shfl_down_sync(mask, sum, step);  // here: used
#ifdef WL_FAULT_USED
        sum += other;
#else
        if (lane + step < lanes) sum += other;
#endif
    }
    out[at] = sum;
}
