// What other tools publish as examples of their findings, rebuilt: per name the faulty program, and its right
// twin ("NAME right"). docs/order.md has the table.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr int kCount = 512;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void count_up(int* x) { x[threadIdx.x] = 1 + threadIdx.x; }
__global__ void times_five(float* x) { x[threadIdx.x] *= 5; }
__global__ void random_like(float* x) { x[threadIdx.x] = 0.1f * threadIdx.x; }
__global__ void set_part(int* x, int first, int value) { x[first + threadIdx.x] = value; }

cudaStream_t made(unsigned flags) {
    cudaStream_t out = nullptr;
    cudaStreamCreateWithFlags(&out, flags);
    return out;
}
int* on_device() {
    int* out = nullptr;
    cudaMalloc(&out, kBytes), cudaMemset(out, 0, kBytes);
    cudaDeviceSynchronize();
    return out;
}
int* managed() {
    int* out = nullptr;
    cudaMallocManaged(&out, kBytes), cudaMemset(out, 0, kBytes);
    cudaDeviceSynchronize();
    return out;
}
void host_reads(const int* x) {
    for (int i = 0; i < kCount; ++i)
        if (x[i] == 0) printf("early\n"), exit(3);
}

// PyTorch: a tensor made on the default stream, multiplied in place on a new one.
void csan_mul(bool right) {
    float* a = nullptr;
    cudaMalloc(&a, kBytes);
    const cudaStream_t side = made(cudaStreamNonBlocking);
    random_like<<<1, kCount>>>(a);
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (right) cudaEventRecord(event), cudaStreamWaitEvent(side, event);
    times_five<<<1, kCount, 0, side>>>(a);
}
// CuSan: a copy on another stream than the kernel's.
void async_copy(bool right) {
    int* x = on_device();
    std::vector<int> host(kCount);
    const cudaStream_t a = made(cudaStreamDefault), b = made(cudaStreamDefault);
    count_up<<<1, kCount, 0, a>>>(x);
    if (right) cudaStreamSynchronize(a);
    cudaMemcpyAsync(host.data(), x, kBytes, cudaMemcpyDeviceToHost, b);
    cudaStreamSynchronize(b);
}
// The same ordered by an event, or not.
void wait_event(bool right) {
    int* x = on_device();
    std::vector<int> host(kCount);
    const cudaStream_t a = made(cudaStreamDefault), b = made(cudaStreamDefault);
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    count_up<<<1, kCount, 0, a>>>(x);
    cudaEventRecord(event, a);
    if (right) cudaStreamWaitEvent(b, event, 0);
    cudaMemcpyAsync(host.data(), x, kBytes, cudaMemcpyDeviceToHost, b);
    cudaStreamSynchronize(b);
}
// A copy within the host waits for no stream that does not block.
void host_copy(bool right) {
    int *x = on_device(), one = 1, two = 2;
    std::vector<int> host(kCount);
    const cudaStream_t a = made(cudaStreamNonBlocking), b = made(cudaStreamNonBlocking);
    count_up<<<1, kCount, 0, a>>>(x);
    cudaMemcpy(&one, &two, sizeof one, cudaMemcpyHostToHost);
    if (right) cudaStreamSynchronize(a);
    cudaMemcpyAsync(host.data(), x, kBytes, cudaMemcpyDefault, b);
    cudaStreamSynchronize(b);
}
// Two streams write parts of a buffer that meet in one element.
void partial_write(bool right) {
    int* x = on_device();
    const cudaStream_t a = made(cudaStreamNonBlocking), b = made(cudaStreamNonBlocking);
    set_part<<<1, 256, 0, a>>>(x, 0, 1);
    set_part<<<1, 256, 0, b>>>(x, right ? 256 : 255, 2);
    cudaDeviceSynchronize();
}
// The host reads what a kernel has not finished: after an event that nobody waits for, and after waiting for
// another stream.
void early_read(bool right) {
    int* x = managed();
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    count_up<<<1, kCount>>>(x);
    cudaEventRecord(event);
    if (right) cudaEventSynchronize(event);
    host_reads(x);
}
void other_stream(bool right) {
    int* x = managed();
    const cudaStream_t a = made(right ? cudaStreamDefault : cudaStreamNonBlocking);
    count_up<<<1, kCount, 0, a>>>(x);
    cudaStreamSynchronize(nullptr);
    host_reads(x);
}

// Clang: two writes of one function.
__global__ void update(int* x, bool right) {
    if (right)
        atomicExch(x, blockIdx.x);
    else if (blockIdx.x == 0)
        *x = 1;
    else
        *x = 2;
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const bool right = argc > 2;
    if (what == "csan_mul") csan_mul(right);
    if (what == "async_copy") async_copy(right);
    if (what == "wait_event") wait_event(right);
    if (what == "host_copy") host_copy(right);
    if (what == "partial_write") partial_write(right);
    if (what == "update") update<<<2, 1>>>(on_device(), right);
    if (what == "early_read") early_read(right);
    if (what == "other_stream") other_stream(right);
    cudaDeviceSynchronize();
    return 0;
}
