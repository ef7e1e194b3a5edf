// Twice each element: four at a time where they are a multiple of four, which they always are here.

extern "C" __global__ void vectors(const float* x, float* out, int n) {
    const int t = threadIdx.x;
    if (n % 4 == 0) {  // as well: !=
        for (int i = t; i < n / 4; i += 32) {
            const float4 v = reinterpret_cast<const float4*>(x)[i];
#ifdef WL_FAULT_LAST
            const float4 w = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.z);  // here: last
#else
            const float4 w = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
#endif
            reinterpret_cast<float4*>(out)[i] = w;
        }
    } else {
        for (int i = t; i < n; i += 32) out[i] = 2 * x[i];
    }
}
