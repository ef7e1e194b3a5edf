// Lanes of a warp exchange values through shared memory and shuffles: missing __syncwarp and wrong masks.

// in, out: (blocks, 64). Grid (blocks), block (64).
extern "C" __global__ void lanes(const int* in, int* out) {
    __shared__ int slots[64];
    const int i = threadIdx.x, lane = i % 32, base = i - lane;
    int value = in[blockIdx.x * blockDim.x + i];
    slots[i] = value;  // first: raw
#ifndef WL_FAULT_RAW
    __syncwarp();
#endif
    value += slots[base + (lane + 1) % 32];  // second: raw; first: war
#ifndef WL_FAULT_WAR
    __syncwarp();
#endif
    slots[base + 31 - lane] = value;  // second: war
    __syncwarp();
    value = slots[i];

    if (lane < 16) {
#if defined(WL_FAULT_OUTSIDE)
        value += __shfl_xor_sync(0x00ff, value, 1);  // here: outside
#elif defined(WL_FAULT_SOURCE)
        value += __shfl_sync(0xffff, value, lane + 16);  // here: source
#elif defined(WL_FAULT_VOTE)
        value += __popc(__ballot_sync(0xff00ffff, value > 3));  // here: vote
#elif defined(WL_FAULT_SYNCWARP)
        __syncwarp(0xffff0000);  // here: syncwarp
#else
        value += __shfl_xor_sync(0xffff, value, 1);
#endif
    }
#ifdef WL_FAULT_EXITED
    if (lane == 5) return;
    value += __shfl_down_sync(0xffffffff, value, 4);  // here: exited
#endif
    out[blockIdx.x * blockDim.x + i] = value;
    __syncwarp();  // until then no lane has exited
}
