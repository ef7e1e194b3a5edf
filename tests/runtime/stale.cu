// Memory that nodes of graphs name, and errors that the program does not ask for: per name a program that is
// wrong, and its right twin ("NAME right").
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr int kCount = 4096;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void twice(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];
}
__global__ void add_one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

struct Data {
    float *x, *y;
    cudaStream_t stream;
};
Data made() {
    Data d;
    for (float** p : {&d.x, &d.y}) cudaMalloc(p, kBytes), cudaMemset(*p, 0, kBytes);
    cudaStreamCreateWithFlags(&d.stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    return d;
}
float* pinned(float value) {
    float* out = nullptr;
    cudaMallocHost(&out, kBytes);
    for (int i = 0; i < kCount; ++i) out[i] = value;
    return out;
}
cudaGraphExec_t ended(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t out = nullptr;
    cudaGraphInstantiate(&out, graph, 0);
    return out;
}
void launch(cudaGraphExec_t graph, cudaStream_t stream) {
    cudaGraphLaunch(graph, stream);
    cudaStreamSynchronize(stream);
}

// One staging buffer for two copies of one capture.
void staging(bool right) {
    const Data d = made();
    float *host = pinned(1), *other = right ? pinned(1) : host;
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.stream);
    for (int i = 0; i < kCount; ++i) other[i] = 2;
    cudaMemcpyAsync(d.y, other, kBytes, cudaMemcpyHostToDevice, d.stream);
    launch(ended(d.stream), d.stream);
}
// The buffer is used for another copy before the graph is launched.
void reused(bool right) {
    const Data d = made();
    float *host = pinned(1), *other = right ? pinned(1) : host;
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.stream);
    const cudaGraphExec_t graph = ended(d.stream);
    for (int i = 0; i < kCount; ++i) other[i] = 3;
    cudaMemcpy(d.y, other, kBytes, cudaMemcpyHostToDevice);
    launch(graph, d.stream);
}
// A result is copied into it.
void overwritten(bool right) {
    const Data d = made();
    float *host = pinned(1), *other = right ? pinned(1) : host;
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.stream);
    const cudaGraphExec_t graph = ended(d.stream);
    cudaMemcpy(other, d.y, kBytes, cudaMemcpyDeviceToHost);
    launch(graph, d.stream);
}
void freed(bool right) {
    const Data d = made();
    float* host = pinned(1);
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.stream);
    const cudaGraphExec_t graph = ended(d.stream);
    if (!right) cudaFreeHost(host);
    launch(graph, d.stream);
}
void freed_device(bool right) {
    const Data d = made();
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemsetAsync(d.x, 0, kBytes, d.stream);
    const cudaGraphExec_t graph = ended(d.stream);
    cudaFree(right ? d.y : d.x);
    launch(graph, d.stream);
}
// Of a function that has returned: on its stack, in its vector.
__attribute__((noinline)) cudaGraphExec_t with_local(const Data& d) {
    float local[kCount];
    for (float& v : local) v = 4;
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, local, kBytes, cudaMemcpyHostToDevice, d.stream);
    return ended(d.stream);
}
__attribute__((noinline)) cudaGraphExec_t with_vector(
    const Data& d, std::vector<float>& kept, bool keep, int count
) {
    std::vector<float> local(count, 5.0f);
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, local.data(), count * sizeof(float), cudaMemcpyHostToDevice, d.stream);
    const cudaGraphExec_t out = ended(d.stream);
    if (keep) kept.swap(local);
    return out;
}
void returned(bool right) {
    const Data d = made();
    std::vector<float> kept;
    launch(right ? with_vector(d, kept, true, kCount) : with_local(d), d.stream);
}
void vector(bool right) {
    const Data d = made();
    std::vector<float> kept;
    launch(with_vector(d, kept, right, kCount), d.stream);
}
void small_vector(bool right) {
    const Data d = made();
    std::vector<float> kept;
    launch(with_vector(d, kept, right, 64), d.stream);
}
// The input of each launch is put into the same buffer, as is meant.
void inputs(bool) {
    const Data d = made();
    float *host = pinned(1), *result = pinned(0);
    cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.stream);
    twice<<<kCount / 256, 256, 0, d.stream>>>(d.x, d.y);
    cudaMemcpyAsync(result, d.y, kBytes, cudaMemcpyDeviceToHost, d.stream);
    const cudaGraphExec_t graph = ended(d.stream);
    for (int k = 0; k < 3; ++k) {
        launch(graph, d.stream);
        for (int i = 0; i < kCount; ++i) host[i] = k;
    }
}

// ---- arguments

struct Parts {
    const float* x;
    float *sum, *parts;
};
// A part of the sum for each block, in the workspace; and their sum.
__global__ void sum_up_parts(Parts p) {
    p.parts[blockIdx.x * blockDim.x + threadIdx.x] = p.x[threadIdx.x] * blockIdx.x;
}
__global__ void add_parts(const float* parts, float* sum, int count) {
    float all = 0;
    for (int k = 0; k < count; ++k) all += parts[k * blockDim.x + threadIdx.x];
    sum[threadIdx.x] = all;
}
// The host leaves the pointer to the workspace as it was.
void workspace(bool right) {
    const Data d = made();
    Parts p{d.x, nullptr, nullptr};
    float *parts = nullptr, *other = nullptr;
    cudaMalloc(&p.sum, 64 * sizeof(float));
    cudaMalloc(&parts, 64 * 4 * sizeof(float));
    cudaMalloc(&other, 64 * sizeof(float));  // too small to be meant
    p.parts = right ? parts : p.sum;
    sum_up_parts<<<4, 64>>>(p);
    add_parts<<<1, 64>>>(parts, p.sum, 4);
}

// ---- errors

// A launch with too many threads; who uses what it should have written?
void copied_back(bool right) {
    const Data d = made();
    std::vector<float> got(kCount);
    add_one<<<2, 2048>>>(d.x);
    if (right) printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaMemcpy(got.data(), d.x, kBytes, cudaMemcpyDeviceToHost);
}
void used(bool right) {
    const Data d = made();
    add_one<<<2, 2048>>>(d.x);
    if (right) cudaMemset(d.x, 0, kBytes);  // in its place
    twice<<<kCount / 256, 256>>>(d.x, d.y);
}
// What the refused launch only reads is there.
void input_used(bool) {
    const Data d = made();
    twice<<<2, 2048>>>(d.x, d.y);
    std::vector<float> got(kCount);
    cudaMemcpy(got.data(), d.x, kBytes, cudaMemcpyDeviceToHost);
}
void failed_copy(bool right) {
    const Data d = made();
    std::vector<float> host(kCount, 6.0f);
    cudaMemcpy(d.x, host.data(), kBytes, right ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice);
    twice<<<kCount / 256, 256>>>(d.x, d.y);
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const bool right = argc > 2;
    if (what == "staging") staging(right);
    if (what == "reused") reused(right);
    if (what == "overwritten") overwritten(right);
    if (what == "freed") freed(right);
    if (what == "freed_device") freed_device(right);
    if (what == "returned") returned(right);
    if (what == "vector") vector(right);
    if (what == "small_vector") small_vector(right);
    if (what == "inputs") inputs(right);
    if (what == "workspace") workspace(right);
    if (what == "copied_back") copied_back(right);
    if (what == "used") used(right);
    if (what == "input_used") input_used(right);
    if (what == "failed_copy") failed_copy(right);
    cudaDeviceSynchronize();
    return 0;
}
