// A row of 32 elements is doubled in place by 64 threads: each element has two, and the first warp's store
// it.

// x: (32). Grid (1), block (64).
extern "C" __global__ void tile(float* x, float* out) {
    const int i = threadIdx.x & 31, warp = threadIdx.x / 32;
    float value;  // as Triton writes it: every thread of the block loads
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(x + i));
    if (warp == 0) x[i] = 2 * value;  // store
#ifdef WL_FAULT_USED
    else
        out[i] = value;  // by the second warp
#endif
#ifdef WL_FAULT_BRANCH
    if (warp == 1 && value > 0) out[0] = 1;
#endif
}
