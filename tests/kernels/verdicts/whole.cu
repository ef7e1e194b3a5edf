// Integers of 32 and 64 bits. Fault hundred: the 32-bit ones are off by 100. Fault low: the 64-bit ones lose
// their last bit.
extern "C" __global__ void whole(const int* a, const long long* b, int* c, long long* d) {
    const int i = threadIdx.x;
    c[i] = a[i] + 7;
    d[i] = b[i] + 7;
#ifdef WL_FAULT_HUNDRED
    c[i] += 100;
#endif
#ifdef WL_FAULT_LOW
    d[i] ^= 1;
#endif
}
