// A prefix sum over blocks that look back: a state and a sum, in one word or in two.

// in, out: (blocks, 32), tiles, sums: (blocks), zeros. Grid (blocks), block (32).
extern "C" __global__ void lookback(const int* in, int* out, volatile unsigned* tiles, volatile int* sums) {
    const int lane = threadIdx.x, block = blockIdx.x;
    int sum = in[block * 32 + lane];
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step) sum += other;
    }
    int before = 0;
    if (lane == 31) {
        for (int from = block - 1; from >= 0;) {
            const unsigned tile = tiles[from];
            if (tile >> 30 == 0) continue;
#ifdef WL_FAULT_APART
            before += sums[from];  // second: apart
#else
            before += tile & 0x3fffffff;
#endif
            break;
        }
#ifdef WL_FAULT_APART
        sums[block] = before + sum;  // first: apart
        tiles[block] = 1u << 30;
#else
        tiles[block] = 1u << 30 | static_cast<unsigned>(before + sum);
#endif
    }
    before = __shfl_sync(0xffffffff, before, 31);
    out[block * 32 + lane] = before + sum;
}
