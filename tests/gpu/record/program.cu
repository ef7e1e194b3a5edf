// What `warplens record` is tried on: pointers in structs, in tables and in variables of the module; and a
// loop of launches, timed from within.
//
//     nvcc -gencode arch=compute_80,code=compute_80 -o program program.cu && ./program [loop LAUNCHES]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Field {
    const float* from;
    float* to;
    int n;
    float factor;
};
struct Node {
    float value;
    Node* next;
};

__constant__ float coefficients[4];
__device__ unsigned evaluated;
__device__ float* history;

// A struct by value.
__global__ void scale(Field field) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < field.n) field.to[i] = field.factor * field.from[i];
}

// A table of pointers in device memory.
__global__ void gather(const float* const* rows, float* sums, int n_rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int row = 0; row < n_rows; ++row) sum += rows[row][i];
    sums[i] = sum;
}

// Variables of the module, one of which points to memory that no argument reaches.
__global__ void evaluate(const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float y = coefficients[3];
    for (int k = 2; k >= 0; --k) y = y * x[i] + coefficients[k];
    history[i] = expf(-y * y);
    atomicAdd(&evaluated, 1u);
}

// A list whose nodes lie in one allocation, in no order.
__global__ void walk(const Node* first, float* total) {
    float sum = 0;
    for (const Node* node = first; node != nullptr; node = node->next) sum += node->value;
    *total = sum;
}

// Shared memory, and a block barrier.
__global__ void block_sums(const float* x, float* sums, int n) {
    extern __shared__ float part[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

// The same without the barrier inside: right on most devices, most of the time.
__global__ void racing_sums(const float* x, float* sums, int n) {
    extern __shared__ float part[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2)
        if (t < half) part[t] += part[t + half];
    if (t == 0) sums[blockIdx.x] = part[0];
}

__global__ void nothing(int* p) {
    if (p != nullptr) *p = 0;
}

static void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

template <class T>
T* on_device(const std::vector<T>& host) {
    T* out = nullptr;
    require(cudaMalloc(&out, host.size() * sizeof(T)), "cudaMalloc");
    require(cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return out;
}

static int loop(long launches) {
    int* p = on_device(std::vector<int>(1));
    for (int warm = 0; warm < 2000; ++warm) nothing<<<1, 32>>>(p);
    require(cudaDeviceSynchronize(), "warming up");
    const auto begun = std::chrono::steady_clock::now();
    for (long i = 0; i < launches; ++i) nothing<<<1, 32>>>(p);
    require(cudaDeviceSynchronize(), "the loop");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("%.1f ns a launch\n", took.count() / launches * 1e9);
    return 0;
}

int main(int argc, char** argv) {
    if (argc > 2 && std::strcmp(argv[1], "loop") == 0) return loop(std::atol(argv[2]));
    constexpr int n = 1000, threads = 128, blocks = (n + threads - 1) / threads;
    std::vector<float> x(n), zeros(n);
    for (int i = 0; i < n; ++i) x[i] = 0.25f * (i % 17) - 1.5f;
    float *from = on_device(x), *to = on_device(zeros), *sums = on_device(zeros), *past = on_device(zeros);
    for (int i = 0; i < 3; ++i) scale<<<blocks, threads>>>(Field{from, to, n, 0.5f + i});
    float** rows = on_device(std::vector<float*>{from, to, from});
    gather<<<blocks, threads>>>(rows, sums, 3, n);
    const float c[4] = {0.5f, -1, 0.25f, 2};
    require(cudaMemcpyToSymbol(coefficients, c, sizeof c), "coefficients");
    require(cudaMemcpyToSymbol(history, &past, sizeof past), "history");
    evaluate<<<blocks, threads>>>(from, n);
    Node* nodes = on_device(std::vector<Node>(64));
    std::vector<Node> list(64);
    for (int k = 0; k < 64; ++k)
        list[k * 37 % 64] = {0.1f * k, k == 63 ? nullptr : nodes + (k + 1) * 37 % 64};
    require(cudaMemcpy(nodes, list.data(), 64 * sizeof(Node), cudaMemcpyHostToDevice), "nodes");
    walk<<<1, 1>>>(nodes, sums);
    block_sums<<<blocks, threads, threads * sizeof(float)>>>(from, to, n);
    racing_sums<<<blocks, threads, threads * sizeof(float)>>>(from, past, n);
    require(cudaDeviceSynchronize(), "the kernels");
    float first = 0;
    require(cudaMemcpy(&first, sums, sizeof first, cudaMemcpyDeviceToHost), "sums");
    std::printf("%g\n", first);
    return 0;
}
