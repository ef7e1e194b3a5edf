// Programs that launch the same over and over, one by each word of the command line.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int kN = 256;

__global__ void add_one(float* a) { a[threadIdx.x] += 1; }
__global__ void copy(const float* from, float* to) { to[threadIdx.x] = from[threadIdx.x]; }
// Wrong only where `flag` is set: memory decides, no parameter does.
__global__ void turn(float* a, const int* flag) {
    __shared__ float held[kN];
    const int i = threadIdx.x;
    held[i] = a[i];
    if (*flag == 0) __syncthreads();
    a[i] = held[(i + 32) % kN];
}
__global__ void add_through(int** at) { **at += 1; }
__global__ void count(int* at) { atomicAdd(at, 1); }
// It reads by a texture what it writes.
__global__ void add_one_of(cudaTextureObject_t texture, float* a) {
    a[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x) + 1;
}
// That it prints is nothing to the others.
__global__ void say() { printf("said\n"); }

float* zeros() {
    float* made = nullptr;
    cudaMalloc(&made, kN * sizeof(float));
    cudaMemset(made, 0, kN * sizeof(float));
    return made;
}

float first_of(const float* device) {
    float value = -1;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

void timed(float* a, int times) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int k = 0; k < times; ++k) add_one<<<1, kN>>>(a);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
}

// A check, then a loop that is timed and that nobody looks at.
void unread() {
    float* a = zeros();
    add_one<<<1, kN>>>(a);
    printf("%g\n", first_of(a));
    timed(a, 20);
    cudaFree(a);
}

void read() {
    float* a = zeros();
    add_one<<<1, kN>>>(a);
    timed(a, 20);
    printf("%g\n", first_of(a));
}

// Everything between launches that wait keeps its place.
void order() {
    float *a = zeros(), *b = zeros(), *c = zeros();
    add_one<<<1, kN>>>(a), copy<<<1, kN>>>(a, b);                    // a 1, b 1
    add_one<<<1, kN>>>(a), copy<<<1, kN>>>(a, b);                    // a 2, b 2
    cudaMemcpy(c, b, kN * sizeof(float), cudaMemcpyDeviceToDevice);  // c 2
    cudaMemset(a, 0, kN * sizeof(float));
    add_one<<<1, kN>>>(a), copy<<<1, kN>>>(a, b);  // a 1, b 1
    cudaFree(a);
    printf("%g %g\n", first_of(b), first_of(c));
}

void freed() {
    float* a = zeros();
    add_one<<<1, kN>>>(a);
    add_one<<<1, kN>>>(a);
    const cudaError_t once = cudaFree(a);
    float value = 0;
    const cudaError_t copied = cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
    const cudaError_t twice = cudaFree(a);
    printf("%s %s %s\n", cudaGetErrorName(once), cudaGetErrorName(copied), cudaGetErrorName(twice));
}

void late_finding(bool at_the_end) {
    float* a = zeros();
    int* flag = nullptr;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    turn<<<1, kN>>>(a, flag);
    cudaMemset(flag, 1, sizeof *flag);
    turn<<<1, kN>>>(a, flag);
    if (!at_the_end) first_of(a);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// The host reads pinned memory behind a pointer that lies in the device's, and asks nobody.
void pinned() {
    int *counter = nullptr, **at = nullptr;
    cudaMallocHost(&counter, sizeof *counter);
    *counter = 0;
    cudaMalloc(&at, sizeof *at);
    cudaMemcpy(at, &counter, sizeof counter, cudaMemcpyHostToDevice);
    for (int k = 0; k < 5; ++k) add_through<<<1, 1>>>(at);
    cudaDeviceSynchronize();
    printf("%d\n", *counter);
}

void thread_at_exit() {
    float* a = zeros();
    add_one<<<1, kN>>>(a);
    std::thread([a] {
        for (int k = 0; k < 1000000; ++k) add_one<<<1, kN>>>(a), first_of(a);
    }).detach();
    usleep(50000);
}

// Two kernels, each of which reads what the other does not write; then what the first one reads changes.
void in_turn() {
    float *a = zeros(), *b = zeros(), *c = zeros();
    add_one<<<1, kN>>>(a);
    for (int k = 0; k < 5; ++k) {
        copy<<<1, kN>>>(a, b), copy<<<1, kN>>>(b, c);
        printf("%g ", first_of(c));
    }
    cudaMemset(a, 0, kN * sizeof(float));
    copy<<<1, kN>>>(a, b), copy<<<1, kN>>>(b, c);
    printf("%g ", first_of(c));
    cudaMemset(c, 0xff, kN * sizeof(float));
    copy<<<1, kN>>>(b, c);
    printf("%g\n", first_of(c));
}

void counted() {
    auto* at = reinterpret_cast<int*>(zeros());
    int value = 0;
    for (int k = 0; k < 4; ++k) {
        count<<<1, kN>>>(at);
        cudaMemcpy(&value, at, sizeof value, cudaMemcpyDeviceToHost);
        printf("%d ", value);
    }
    printf("\n");
}

void sampled() {
    float* a = zeros();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {a, cudaCreateChannelDesc<float>(), kN * sizeof(float)};
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    for (int k = 0; k < 3; ++k) add_one_of<<<1, kN>>>(texture, a), printf("%g ", first_of(a));
    printf("\n");
}

// Each launch of a graph has the memory of its nodes anew, also where the program freed it meanwhile.
void graph() {
    float* a = zeros();
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
    memory.bytesize = kN * sizeof(float);
    cudaGraphNode_t made, copied;
    cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &memory);
    auto* b = static_cast<float*>(memory.dptr);
    void* arguments[] = {&a, &b};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(&copy);
    kernel.gridDim = dim3(1), kernel.blockDim = dim3(kN), kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&copied, graph, &made, 1, &kernel);
    cudaGraphExec_t instance;
    cudaGraphInstantiate(&instance, graph, 0);
    for (int k = 0; k < 2; ++k) {
        add_one<<<1, kN>>>(a);
        const cudaError_t launched = cudaGraphLaunch(instance, nullptr);
        printf("%s %g ", cudaGetErrorName(launched), first_of(b));
        printf("%s\n", cudaGetErrorName(cudaFreeAsync(b, nullptr)));
    }
}

int main(int argc, char** argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "unread") unread();
    if (what == "gone") unread(), _exit(0);
    if (what == "read") read();
    if (what == "order") order();
    if (what == "in turn") in_turn();
    if (what == "counted") counted();
    if (what == "sampled") sampled();
    if (what == "freed") freed();
    if (what == "late") late_finding(false);
    if (what == "late at the end") late_finding(true);
    if (what == "graph") graph();
    for (int k = 0; what == "say" && k < 3; ++k) say<<<1, 1>>>(), cudaDeviceSynchronize();
    if (what == "pinned") pinned();
    if (what == "thread") thread_at_exit();
    if (what == "abort") unread(), abort();
    return 0;
}
