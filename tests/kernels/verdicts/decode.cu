// The mean over S of each column, summed in float32 one by one. Fault half: only the first half is summed.
extern "C" __global__ void decode(const float* v, float* o, int s) {
    float sum = 0;
#ifdef WL_FAULT_HALF
    const int end = s / 2;
#else
    const int end = s;
#endif
    for (int i = 0; i < end; ++i) sum += v[i * 32 + threadIdx.x];
    o[threadIdx.x] = sum / s;
}
