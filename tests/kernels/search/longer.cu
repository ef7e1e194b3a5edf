// How often each of the first 32 numbers occurs.
extern "C" __global__ void longer(const int* x, int* counts, int n, int shown) {
    const int t = threadIdx.x;
    int count = 0;
#ifdef WL_FAULT_END
    for (int i = 0; i < shown; ++i) count += x[i] == t;  // here: end
#else
    for (int i = 0; i < n; ++i) count += x[i] == t;
#endif
    if (t < shown) counts[t] = count;
}
