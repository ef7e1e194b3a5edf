// Pointers in a struct. Fault off: the output is off by one.
struct Pointers {
    const float* x;
    float* y;
};
extern "C" __global__ void packed(Pointers p) {
#ifdef WL_FAULT_OFF
    p.y[threadIdx.x] = p.x[threadIdx.x] + 1;
#else
    p.y[threadIdx.x] = p.x[threadIdx.x];
#endif
}
