// What nvcc makes of the language: printf, recursion, indirect calls, switch tables, local arrays, constant
// tables with addresses, dynamic stack, globals that point at each other, doubles, assertions.
#include <cassert>
#include <cstdio>

__constant__ float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
__constant__ const char* message = "hello";
__device__ int counter = 7;
__device__ int* links[3] = {&counter, nullptr, &counter};
__device__ double grid[2][3] = {
    {1,  2},
    { 3, 4, 5}
};
__device__ unsigned char bytes[5] = {1, 2, 3};
__managed__ int managed = 3;

__device__ int increment(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
using Function = int (*)(int);
__device__ Function functions[2] = {increment, twice};

struct Pair {
    double a;
    int b;
};

__device__ __noinline__ Pair make_pair(int n) { return {n * 0.5, n}; }
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) + counter; }
__device__ __noinline__ void variadic(const char* format, int n) { printf(format, n, table[n & 3], message); }

__device__ __noinline__ int choose(int n, int x) {
    switch (n) {
        case 0: return x + factorial(x);
        case 1: return x * 3;
        case 2: return x ^ 0x55;
        case 3: return x >> 2;
        case 4: return x / 7;
        case 5: return x % 9;
        case 6: return x - managed;
        case 7: return ~x;
        default: return 0;
    }
}

extern "C" __global__ void __launch_bounds__(128, 2) language(int* out, int n) {
    extern __shared__ double shared[];
    int local[16];
    for (int i = 0; i < 16; ++i) local[i] = out[i] + n;
    shared[threadIdx.x] = grid[n & 1][n % 3] + make_pair(n).a;
    __syncthreads();
    variadic("%d %f %s\n", n);
    assert(n >= 0);
    char* stack = static_cast<char*>(__builtin_alloca(n + 1));
    stack[n & 7] = bytes[n % 5];
    out[0] = functions[n & 1](out[2]) + local[out[7] & 15] + *links[0];
    out[1] = choose(n, out[3]) + stack[0];
    out[2] = static_cast<int>(shared[(threadIdx.x + 1) & 127]);
}
