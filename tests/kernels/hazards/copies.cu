// Values are copied through an array before they decide anything: reads of what nobody wrote, in each space.

// in, out: (blocks, 64), spare: (64), never written. Grid (blocks), block (64).
extern "C" __global__ void copies(const int* in, int* out, const int* spare, int which) {
    __shared__ int values[65];
    int local[8];
    const int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;
    int taken;
#ifdef WL_FAULT_REGISTER
    // In PTX, because the compiler gives a C++ variable without a value whatever value suits it.
    asm volatile(
        "{ .reg .b32 fresh; .reg .pred some; setp.ge.s32 some, %1, %2; @some mov.b32 fresh, %1; mov.b32 %0, "
        "fresh; }"
        : "=r"(taken)
        : "r"(in[at]), "r"(which)  // here: register
    );
#else
    taken = in[at] >= which ? in[at] : 0;
#endif
    values[i] = in[at];
    for (int k = 0; k < 7; ++k) local[k] = in[at] + k;
#ifndef WL_FAULT_LOCAL
    local[7] = 1;
#endif
    if (i == 0) values[64] = 7;
    __syncthreads();
    int sum = local[(in[at] + which) & 7];  // here: local
#ifdef WL_FAULT_SHARED
    __shared__ int more[64];
    if (i < 63) more[i] = i;
    __syncthreads();
    sum += more[(i + 1) % 64];  // here: shared
#endif
#ifdef WL_FAULT_GLOBAL
    const int copy = spare[i];  // here: global
    values[i] = copy;
    __syncthreads();
    if (values[(i + 1) % 64] > 3) sum += 1;
#endif
    out[at] = sum + taken + values[64];  // here: register, here: local, here: shared, here: global
}
