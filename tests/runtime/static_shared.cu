// Shared memory of fixed size, and as much as a device gives where the program asks.
#include <cuda_runtime.h>

#include <cstdio>

#ifndef WL_BYTES
#define WL_BYTES (48 << 10)
#endif

__global__ void fixed(unsigned char* out) {
    __shared__ unsigned char held[WL_BYTES];
    held[threadIdx.x * (WL_BYTES / 64)] = static_cast<unsigned char>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = held[(threadIdx.x ^ 1) * (WL_BYTES / 64)];
}
__global__ void asked(unsigned char* out) {
    extern __shared__ unsigned char dynamic[];
    dynamic[threadIdx.x * 2048] = static_cast<unsigned char>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = dynamic[(threadIdx.x ^ 1) * 2048];
}

int main() {
    unsigned char* out = nullptr;
    cudaMalloc(&out, 64);
    fixed<<<1, 64>>>(out);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncSetAttribute(asked, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10);
    asked<<<1, 64, 128 << 10>>>(out);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return cudaDeviceSynchronize() != cudaSuccess;
}
