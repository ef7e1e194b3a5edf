// Two arrays, one behind the other in memory, and indices that leave the one and land in the other.

__device__ float kept[64];

// a, b, out, spare: (64). One block of 64 threads; `apart` is the distance from a to b in elements.
extern "C" __global__ void strays(const float* a, const float* b, float* out, float* spare, int apart) {
    const int i = threadIdx.x;
    kept[i] = a[i];
    float value = b[i];
#ifdef WL_FAULT_BEHIND
    value = a[i + apart];
#endif
#ifdef WL_FAULT_BEFORE
    value = a[i] + b[i - apart];
#endif
#ifdef WL_FAULT_STORE
    const_cast<float*>(a)[i + apart] = value;
#endif
#ifdef WL_FAULT_EDGE
    value = b[i - 1];
#endif
#ifdef WL_FAULT_VARIABLE
    value = (&kept[i])[apart];
#endif
    // What follows is right: the one array or the other, one by way of the other, and backwards from behind
    // the end.
    float* const chosen = i < 32 ? out : spare;
    chosen[i] = value + kept[i];
    const float* const by_way = a + (b - a);
    const float* last = b + 64;
    for (int k = 0; k <= i; ++k) --last;
    (i < 32 ? spare : out)[i] = by_way[i] + last[0];
}
