// What clang makes of CUDA without its headers: aggregates by value, initialisers with padding, a switch,
// inline asm.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct Mixed {
    int a;
    double b;
    char c[5];
};

__constant__ float table[4] = {1, 2, 3, 4};
__device__ Mixed mixed = {1, 2.0, "abcd"};
__device__ int (*pointer)(int);
__device__ __attribute__((noinline)) Mixed shifted(int n, Mixed s) {
    s.a += n;
    return s;
}

extern "C" __global__ void clang(float* out, int n, Mixed s) {
    __shared__ float tile[64];
    int local[20];
    for (int i = 0; i < n; i++) local[i % 20] = out[i];
    tile[n & 63] = table[n & 3];
    switch (n) {
        case 0: out[0] = 1; break;
        case 1: out[1] = pointer(n); break;
        case 2: out[2] = local[n]; break;
        case 3: out[1] = __builtin_sqrtf(out[3]); break;
        case 4: out[4] = 6; break;
    }
    const Mixed r = shifted(n, s);
    __nvvm_bar_sync(0);
    asm volatile("membar.gl;");
    out[8] = r.b + mixed.a + tile[(n + 1) & 63];
}
