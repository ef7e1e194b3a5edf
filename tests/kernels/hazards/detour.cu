// A part of a warp meets at a barrier that the rest of it passes by, and who has nothing to do returns early.

__device__ __noinline__ float meet(float mine) {
    __syncthreads();  // here: called
    return mine + 1;
}

// Who has nothing to add returns from it before the others meet.
__device__ __noinline__ float add(float mine, const float* ring, int t) {
    if (t % 4 != 0) return mine;
    __syncthreads();  // here: left
    return mine + ring[t ^ 1];
}

// in, out: (blocks, 64). Grid (blocks), block (64).
extern "C" __global__ void detour(const float* in, float* out, int count) {
    __shared__ float ring[64];
    const int t = threadIdx.x, at = blockIdx.x * 64 + t;
    if (at >= count) {
        out[at] = 0;
        return;
    }
    float mine = in[at];
    ring[t] = mine;
    __syncthreads();
#if defined(WL_FAULT_INSIDE)
    if (t % 4 == 0) {
        mine += ring[t ^ 1];
        __syncthreads();  // here: inside
        ring[t] = mine;
    }
    out[at] = mine;
#elif defined(WL_FAULT_CALLED)
    if (t % 4 == 0) mine = meet(mine);
    out[at] = mine;
#elif defined(WL_FAULT_LEFT)
    out[at] = add(mine, ring, t);
#elif defined(WL_FAULT_FEWER)
    for (int half = 32; half > 0; half /= 2)
        if (t < half) {
            ring[t] += ring[t + half];
            __syncthreads();  // here: fewer
        }
    if (t == 0) out[at] = ring[0];
#else
    if (t % 4 == 0) mine += ring[t ^ 1];
    __syncthreads();
    if (at + 1 >= count) return;
    out[at] = meet(mine);
#endif
}
