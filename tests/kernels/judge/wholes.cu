// Twice each element: four at a time, then the rest.

// x, out: (n), a multiple of 4. Grid (1), block (32).
extern "C" __global__ void wholes(const float* x, float* out, int n) {
    const int t = threadIdx.x, whole = n / 4;  // as well: 0
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* out4 = reinterpret_cast<float4*>(out);
#ifdef WL_FAULT_LAST
    for (int i = t; i < whole; i += 32)
        out4[i] = {2 * x4[i].x, 2 * x4[i].y, 2 * x4[i].z, 2 * x4[i].z};  // here
#else
    for (int i = t; i < whole; i += 32) out4[i] = {2 * x4[i].x, 2 * x4[i].y, 2 * x4[i].z, 2 * x4[i].w};
#endif
    for (int i = 4 * whole + t; i < n; i += 32) out[i] = 2 * x[i];
}
