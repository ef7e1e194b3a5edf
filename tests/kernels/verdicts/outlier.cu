// A copy whose first element is a million times the others. Fault off: all others are off by a tenth.
extern "C" __global__ void outlier(const float* x, float* y) {
    const int i = threadIdx.x;
    float value = i == 0 ? 1e6f * x[i] : x[i];
#ifdef WL_FAULT_OFF
    if (i > 0) value += 0.1f;
#endif
    y[i] = value;
}
