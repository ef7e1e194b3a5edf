// What a program finds in memory of its own that it did not write: the same with and without kernels.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add(float* p, float value) { p[threadIdx.x] += value; }

constexpr int kN = 256;
constexpr size_t kArray = 1000, kLarge = 50000;

// Whatever of it succeeds: memory, streams and kernels come and go.
void use_device() {
    for (int k = 0; k < 20; ++k) {
        float* a = nullptr;
        cudaStream_t stream = nullptr;
        cudaMalloc(&a, kN * sizeof(float) * (k + 1));
        cudaStreamCreate(&stream);
        cudaMemsetAsync(a, 0, kN * sizeof(float), stream);
        add<<<1, kN, 0, stream>>>(a, k);
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
        cudaFree(a);
    }
}

size_t sum(const volatile unsigned char* bytes, size_t count) {
    size_t all = 0;
    for (size_t k = 0; k < count; ++k) all += bytes[k] != 0;
    return all;
}

int main(int argc, char** argv) {
    const bool past = argc > 1 && !strcmp(argv[1], "past the end");
    auto* array = static_cast<unsigned char*>(malloc(kArray));
    memset(array, 0, kArray);
    if (argc <= 2) use_device();
    if (past) {
        printf("%zu of the next 200 bytes\n", sum(array + kArray + 8, 200));  // 8: what malloc keeps there
        return 0;
    }
    size_t found = 0;
    for (int k = 0; k < 10; ++k) found += sum(static_cast<unsigned char*>(malloc(kLarge)), kLarge);
    printf("%zu bytes\n", found);
    return 0;
}
