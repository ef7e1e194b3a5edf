// Stresses: several arrays of different types laid one behind another in dynamic shared memory beside static
// ones, loads and stores of 1, 2, 4, 8 and 16 bytes, the special register of its size.

extern "C" __global__ void dynamic_shared(const double* in, double* out, unsigned* sizes, int n) {
    extern __shared__ __align__(16) unsigned char arena[];
    __shared__ unsigned char first[32];
    double* doubles = reinterpret_cast<double*>(arena);
    float4* vectors = reinterpret_cast<float4*>(doubles + n);
    short* shorts = reinterpret_cast<short*>(vectors + n);
    unsigned char* bytes = reinterpret_cast<unsigned char*>(shorts + n);
    const int i = threadIdx.x;
    const double x = in[blockIdx.x * n + i];
    doubles[i] = x;
    vectors[i] = make_float4(x, 2 * x, i, -x);
    shorts[i] = static_cast<short>(x * 1000);
    bytes[i] = static_cast<unsigned char>(i * 7);
    if (i < 32) first[i] = static_cast<unsigned char>(255 - i);
    __syncthreads();
    const int other = n - 1 - i;
    const float4 v = vectors[other];
    out[blockIdx.x * n + i] =
        doubles[other] + v.x + v.y * v.z + v.w + shorts[other] + bytes[other] + first[other % 32];
    unsigned size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    if (i == 0) sizes[blockIdx.x] = size;
}
