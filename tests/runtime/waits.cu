// Kernels that wait for memory: what the host would write, what another stream's work would, and what nobody
// does.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>

__global__ void wait_for(volatile unsigned* flag, unsigned* done) {
    while (*flag < 1) {}
    *done = 1;
}
// Its registers change, and it sleeps between two looks.
__global__ void count_until(unsigned* flag, unsigned* done) {
    unsigned looked = 0;
    while (atomicAdd(flag, 0) == 0) ++looked, __nanosleep(100);
    *done = looked;
}
// A barrier of the grid that waits for one block too many.
__global__ void meet(volatile unsigned* arrived) {
    if (threadIdx.x == 0) atomicAdd(const_cast<unsigned*>(arrived), 1);
    while (*arrived <= gridDim.x) {}
}
// Races, and waits then.
__global__ void race_and_wait(volatile unsigned* flag, unsigned* out) {
    __shared__ unsigned held[256];
    held[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = held[(threadIdx.x + 1) % 256];
    while (*flag < 1) {}
}
__global__ void set(volatile unsigned* flag) { *flag = 1; }

unsigned* on_device() {
    unsigned* made = nullptr;
    cudaMalloc(&made, 256 * sizeof *made);
    cudaMemset(made, 0, 256 * sizeof *made);
    return made;
}
unsigned* seen_by_host(bool managed) {
    unsigned* made = nullptr;
    if (managed)
        cudaMallocManaged(&made, 64);
    else
        cudaMallocHost(&made, 64);
    std::memset(made, 0, 64);
    return made;
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    unsigned* done = on_device();
    cudaStream_t side = nullptr;
    const bool streams = what == "stream" || what == "meet beside a stream";
    if (streams) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    unsigned* flag = what == "pinned" || what == "managed" || what == "count" || what == "race"
        ? seen_by_host(what != "pinned")
        : on_device();
    cudaDeviceSynchronize();
    if (what == "pinned" || what == "managed") wait_for<<<1, 1>>>(flag, done);
    if (what == "count") count_until<<<1, 1>>>(flag, done);
    if (what == "race") race_and_wait<<<1, 256>>>(flag, done);
    if (what == "stream" || what == "nobody") wait_for<<<1, 1>>>(flag, done);
    if (what == "stream") set<<<1, 1, 0, side>>>(flag);
    if (what == "meet" || what == "meet beside a stream") meet<<<4, 32>>>(flag);
    if (what == "pinned" || what == "managed" || what == "race") *static_cast<volatile unsigned*>(flag) = 1;
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
