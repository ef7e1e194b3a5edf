// Sums of the rows of a matrix: eight lanes take a row, each team with its own member mask; the last lanes
// have no row, and exit.

// in: (ROWS, 16), out: (ROWS). Block (64).
extern "C" __global__ void teams(const int* in, int* out, int rows) {
    __shared__ int part[64];
    const int t = threadIdx.x, lane = t % 8, row = (blockIdx.x * blockDim.x + t) / 8;
#if defined(WL_FAULT_OTHER)
    const unsigned team = 0xffu << t % 4 * 8;
#elif defined(WL_FAULT_WIDER)
    const unsigned team = lane < 4 ? 0xffu << t / 8 % 4 * 8 : 0xffffffffu;
#else
    const unsigned team = 0xffu << t / 8 % 4 * 8;
#endif
    if (row >= rows) return;
    part[t] = in[row * 16 + lane] + in[row * 16 + lane + 8];
    for (int step = 4; step > 0; step /= 2) {
        __syncwarp(team);  // here: other; here: wider
        if (lane < step) part[t] += part[t + step];
    }
    int sum = part[t];
    __syncwarp();  // the lanes that have exited are named
    const unsigned positive = __ballot_sync(0xffffffffu, sum > 0);
    if (lane == 0) out[row] = (positive >> t % 32 & 1) != 0 ? sum : -sum;
}
