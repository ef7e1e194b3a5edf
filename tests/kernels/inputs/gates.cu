// What passes a gate, and the sum of it over both blocks: every element depends on what its reference depends
// on, and is wrong by a number.
__global__ void gates(const float* x, const float* gate, float* y, float* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float passed = fmaxf(gate[i], 0.0f) * x[i];
#if defined(WL_FAULT_OFFSET)
    passed += 0.25f * i;
#endif
    y[i] = passed;
#if defined(WL_FAULT_ROOT)
    atomicAdd(sum, sqrtf(fabsf(passed)));
#else
    atomicAdd(sum, passed);
#endif
}
