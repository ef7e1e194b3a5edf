// Lanes of a warp hand each other values through global memory, which orders no more than shared memory does.

// in, slots, out: (blocks, 64). Grid (blocks), block (64).
extern "C" __global__ void scatter(const int* in, int* slots, int* out) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x, base = at / 32 * 32, lane = at % 32;
    slots[at] = in[at];  // first: lanes
#ifndef WL_FAULT_LANES
    __syncwarp();
#endif
    int value = slots[base + (lane + 1) % 32];  // second: lanes
    __syncwarp();
#ifdef WL_FAULT_SAME
    slots[base + lane / 2] = value;  // here: same
#else
    slots[base + (lane * 5) % 32] = value;
#endif
    __syncwarp();
    if (lane < 16) {
        slots[base + lane] = value;  // first: branch
    } else {
#ifdef WL_FAULT_BRANCH
        value += slots[base + lane - 16];  // second: branch
#else
        value += slots[base + lane];
#endif
    }
    out[at] = value;
}
