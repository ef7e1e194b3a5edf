// Programs as people write them, one by each word of the command line.
#include <cuda_runtime.h>

#include <atomic>
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int kN = 256;

__constant__ float factor = 2;
__device__ int counter = 5;
__managed__ int shared_with_host = 7;

__global__ void scale(float* a) { a[threadIdx.x] *= factor; }
__global__ void count_up() { counter += 1; }
__global__ void add_to_managed(int* pinned) {
    shared_with_host += 1;
    pinned[threadIdx.x] += shared_with_host;
}
__global__ void print() { printf("lane %d\n", threadIdx.x); }
__global__ void demand(int most) { assert(threadIdx.x < most); }
__global__ void look_up(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}

template <bool kWaits>
__global__ void shift(float* a) {
    __shared__ float held[kN];
    const int i = threadIdx.x;
    held[i] = a[i];
    if (kWaits) __syncthreads();
    a[i] = held[(i + 1) % kN];
}

float* filled(float value) {
    std::vector<float> host(kN, value);
    float* device = nullptr;
    cudaMalloc(&device, kN * sizeof(float));
    cudaMemcpy(device, host.data(), kN * sizeof(float), cudaMemcpyHostToDevice);
    return device;
}

float first_of(const float* device) {
    float value = 0;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

void variables() {
    float* a = filled(1);
    scale<<<1, kN>>>(a);
    const float three = 3;
    cudaMemcpyToSymbol(factor, &three, sizeof three);
    scale<<<1, kN>>>(a);
    count_up<<<1, 1>>>();
    int counted = 0;
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    int* pinned = nullptr;
    cudaMallocHost(&pinned, sizeof(int));
    *pinned = 10;
    add_to_managed<<<1, 1>>>(pinned);
    cudaDeviceSynchronize();
    printf("%g %d %d %d\n", first_of(a), counted, shared_with_host, *pinned);
}

void graph() {
    float* a = filled(1);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t captured;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    scale<<<1, kN, 0, stream>>>(a);
    scale<<<1, kN, 0, stream>>>(a);
    cudaStreamEndCapture(stream, &captured);
    cudaGraphInstantiate(&made, captured, 0);
    printf("%g ", first_of(a));
    cudaGraphLaunch(made, stream);
    cudaGraphLaunch(made, stream);
    cudaStreamSynchronize(stream);
    printf("%g\n", first_of(a));
}

void texture() {
    const float texels[2][4] = {
        {0, 1, 2, 3},
        {4, 5, 6, 7}
    };
    cudaArray_t array;
    const auto format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 4, 2);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], 2, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    cudaTextureObject_t object = 0;
    cudaCreateTextureObject(&object, &resource, &how, nullptr);
    float* out = filled(0);
    look_up<<<1, 4>>>(object, out);
    printf("%g %g\n", first_of(out), first_of(out + 3));
}

void loop() {
    float* a = filled(1);
    float* zero = filled(0);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int k = 0; k < 100; ++k) scale<<<1, kN>>>(zero);
    cudaEventRecord(end);
    for (int k = 0; k < 3; ++k) scale<<<1, kN>>>(a);
    float milliseconds = -1;
    cudaEventElapsedTime(&milliseconds, begin, end);
    printf("%s %g\n", milliseconds > 0 ? "timed" : "not timed", first_of(a));
}

void threads() {
    std::vector<std::thread> all;
    std::atomic<int> wrong{0};
    for (int k = 0; k < 4; ++k)
        all.emplace_back([&wrong, k] {
            float* a = filled(static_cast<float>(k));
            scale<<<1, kN>>>(a);
            if (first_of(a) != 2 * k) ++wrong;
        });
    for (std::thread& t : all) t.join();
    printf("%d wrong\n", wrong.load());
}

void forked() {
    float* a = filled(1);
    scale<<<1, kN>>>(a);
    const pid_t child = fork();
    if (child == 0) {
        scale<<<1, kN>>>(a);
        printf("child %g\n", first_of(a));
        exit(0);
    }
    waitpid(child, nullptr, 0);
    printf("parent %g\n", first_of(a));
}

void freed() {
    float* a = filled(1);
    cudaFree(a);
    scale<<<1, kN>>>(a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

void at_exit() {
    float* a = filled(3);
    scale<<<1, kN>>>(a);
    printf("at exit %g\n", first_of(a));
}

// Rows and slices without a byte, and more bytes than there are addresses.
void extents() {
    char* p = nullptr;
    cudaMalloc(&p, 4096);
    constexpr size_t kMany = size_t{1} << 40, kRows = size_t{1} << 24;
    const cudaPitchedPtr box{p, 64, 64, 4};
    const cudaExtent nothing{0, kMany, kMany};
    cudaMemcpy3DParms copy{};
    copy.dstPtr = copy.srcPtr = box, copy.extent = nothing, copy.kind = cudaMemcpyDeviceToDevice;
    const int filled_box = cudaMemset3D(box, 0, nothing), copied_box = cudaMemcpy3D(&copy);
    const int filled_rows = cudaMemset2D(p, kMany, 0, kMany, kRows);
    const int copied_rows = cudaMemcpy2D(p, kMany, p, kMany, kMany, kRows, cudaMemcpyDeviceToDevice);
    printf("%d %d %d %d\n", filled_box, copied_box, filled_rows, copied_rows);
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "variables") variables();
    if (what == "extents") extents();
    if (what == "graph") graph();
    if (what == "texture") texture();
    if (what == "loop") loop();
    if (what == "threads") threads();
    if (what == "fork") forked();
    if (what == "freed") freed();
    if (what == "atexit") atexit(at_exit);
    if (what == "right") shift<true><<<1, kN>>>(filled(1));
    if (what == "wrong") shift<false><<<1, kN>>>(filled(1));
    if (what == "print") print<<<1, 2>>>(), printf("before\n"), cudaDeviceSynchronize();
    if (what == "assert") demand<<<1, 4>>>(2), printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (what == "refused")
        scale<<<1, 2000>>>(filled(1)), printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    if (what == "device") printf("%s\n", cudaGetErrorName(cudaSetDevice(1)));
    if (what == "missing") printf("%s\n", cudaGetErrorName(cudaImportExternalMemory(nullptr, nullptr)));
    if (what == "gives up" && cudaImportExternalMemory(nullptr, nullptr) != cudaSuccess) return 1;
    if (what == "host") printf("%g\n", *filled(1));
    if (what == "die") scale<<<1, kN>>>(filled(1)), raise(SIGKILL);
    return what == "status" ? 5 : 0;
}
