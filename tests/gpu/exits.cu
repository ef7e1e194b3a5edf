// What a GPU and compute-sanitizer's synccheck make of threads that are gone, or go on, when others wait at a
// barrier. usage: exits N (0: half, 1: trip, 2: aligned, 3: tail, 4: store_tail, 5: warps, 6: skip)
#include <cstdio>
#include <cstdlib>

// One block of 64 threads; in, out: (64).
__global__ void half(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t % 32 < 16) {
        __syncthreads();
        out[t] = s[63 - t];
    }
}
__global__ void trip(const int* in, int* out) {
    int v = 0;
    for (int i = 0; i < 2 + (in[threadIdx.x] > 20); ++i) {
        __syncthreads();
        v += i;
    }
    out[threadIdx.x] = v;
}
__global__ void aligned(const int* in, int* out) {
    int t = threadIdx.x;
    out[t] = in[t];
    if (t >= 10 && t < 20) asm volatile("barrier.cta.sync.aligned 0;" ::: "memory");
}
__global__ void tail(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 40) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[39 - t];
}
__global__ void store_tail(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 40) {
        out[t] = 7;
        return;
    }
    s[t] = in[t];
    __syncthreads();
    out[t] = s[39 - t];
}
__global__ void warps(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 32) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[31 - t];
}
__global__ void skip(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 16) __syncthreads();
    out[t] = s[63 - t];
}

int main(int, char** argv) {
    void (*kernels[])(const int*, int*) = {half, trip, aligned, tail, store_tail, warps, skip};
    int *in, *out, host[64];
    for (int i = 0; i < 64; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host), cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice), cudaMemset(out, 0, sizeof host);
    kernels[atoi(argv[1])]<<<1, 64>>>(in, out);
    printf("%s:", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int value : host) printf(" %d", value);
    puts("");
}
