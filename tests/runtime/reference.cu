// A program of several builds, told apart by the name of the file: "good"; "wide" has other blocks; "bad"
// makes element 37 wrong; "other" begins with other numbers; "factor" passes another one; "short" has fewer
// elements.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

template <int kWrong>
__global__ void scale(float* out, const float* in, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] * factor;
    if (i == kWrong) out[i] += 1;
}

int main(int, char** argv) {
    const std::string path = argv[0], name = path.substr(path.rfind('/') + 1);
    const int n = name == "short" ? 500 : 1000, threads = name == "wide" ? 64 : 256;
    const float factor = name == "factor" ? 5 : 2.5f;
    std::vector<float> host(n);
    for (int k = 0; k < n; ++k) host[k] = static_cast<float>(k) + (name == "other" && k == 9 ? 0.5f : 0);
    float *out = nullptr, *in = nullptr;
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; ++k) {
        const int blocks = (n + threads - 1) / threads;
        if (name == "bad")
            scale<37><<<blocks, threads>>>(out, in, n, factor + k);
        else
            scale<-1><<<blocks, threads>>>(out, in, n, factor + k);
    }
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[37]);
}
