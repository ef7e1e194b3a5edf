// A program of two files whose device code is linked (nvcc -rdc=true): functions and variables of the one in
// the other.
#include "parts.h"

#include <cstdio>
#include <cstring>

static __device__ float own(float x) { return x + 1; }
static __device__ int hidden = 3;

__global__ void both(float* x, bool wait) {
    __shared__ float all[64];
    const int i = static_cast<int>(threadIdx.x);
    all[i] = own(scaled(twice(x[i]), i)) + hidden;
    __syncthreads();
    x[i] = shifted(all, i, wait) + table[i % 4];
    if (i == 0) printf("both %d\n", hidden);
}

int main(int, char** words) {
    const bool wait = std::strcmp(words[1], "right") == 0;
    float host[64], *x = nullptr;
    cudaMalloc(&x, sizeof host);
    fill<1><<<1, 64>>>(x);
    fill_from_other(x);
    both<<<1, 64>>>(x, wait);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%s %g %g %d\n", cudaGetErrorString(cudaGetLastError()), host[0], host[63], calls_counted());
}
