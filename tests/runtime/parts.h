// What both files of the program see: a kernel and a function that both of them define, and what one has for
// the other.
#pragma once

template <int kValue>
__global__ void fill(float* x) {
    x[threadIdx.x] = kValue;
}

inline __device__ __noinline__ float twice(float x) { return 2 * x; }

extern __device__ int calls;
extern __constant__ float table[4];
__device__ float scaled(float x, int i);
__device__ float shifted(float* shared, int i, bool wait);

void fill_from_other(float* x);
int calls_counted();
