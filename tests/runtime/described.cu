// Launches that `init --run` describes: each kernel takes its arguments in another way.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Shape {
    float* data;
    int n;
    float factor;
};
struct Node {
    Node* next;
    int value;
};

__constant__ float taps[3];
__device__ int calls;

// Inputs and outputs as they are: x is read, y written, z untouched memory that the launch fills in part.
__global__ void scale(const float* x, float* y, double* z, int n, float factor, bool twice) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    extern __shared__ float tile[];
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) y[i] = tile[threadIdx.x] * factor * (twice ? 2 : 1);
    if (i < n / 2) z[i] = i;
}
// Slots that are taken already: no exchange succeeds.
__global__ void claim(int* slots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicCAS(&slots[i], -1, i);
}
__global__ void by_value(Shape shape, double not_a_number, unsigned long long large, float4 color) {
    const int i = threadIdx.x;
    if (i < shape.n)
        shape.data[i] = shape.data[i] * shape.factor + color.w + (large >> 63) + (not_a_number > 0);
}
// Both lie in one allocation.
__global__ void halves(const int* low, int* high, int n) {
    const int i = threadIdx.x;
    if (i < n) high[i] = low[i] + 1;
}
__global__ void table(float* const* rows, int n) {
    const int i = threadIdx.x;
    if (i < n && rows[1] == nullptr) rows[2][i] = rows[0][i] - 1;
}
__global__ void list(Node* head) {
    for (Node* node = head; node != nullptr; node = node->next) ++node->value;
}
__global__ void filter(const float* in, float* out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = taps[0] * in[i] + taps[1];
    if (i == 0) ++calls;
}
__global__ void step(const float* from, float* to, int n) {
    const int i = threadIdx.x;
    if (i < n) to[i] = from[i] + from[(i + 1) % n];
}
__global__ void read_only(const float* x, int n) {
    if (threadIdx.x < n && x[threadIdx.x] < -1e30f) printf("never\n");
}
__global__ void guarded(const float* x, int* error, int n) {
    if (threadIdx.x < n && x[threadIdx.x] > 1e30f) *error = 1;
}
template <class T>
__global__ void fill(T* p, T value, int n) {
    const int i = threadIdx.x;
    if (i < n) p[i] = value;
}

static float* device(const float* host, int n) {
    float* d = nullptr;
    cudaMalloc(&d, n * sizeof(float));
    if (host != nullptr) cudaMemcpy(d, host, n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    float host[1024];
    for (int i = 0; i < n; ++i) host[i] = 0.25f * i - 3;
    float *x = device(host, n), *y = device(nullptr, n);
    double* z = nullptr;
    cudaMalloc(&z, n * sizeof(double));
    scale<<<(n + 31) / 32, 32, 32 * sizeof(float)>>>(x, y, z, n, 0.1f, true);

    int *slots = nullptr, *pair = nullptr;
    cudaMallocManaged(&slots, n * sizeof(int));
    for (int i = 0; i < n; ++i) slots[i] = i + 5;
    claim<<<(n + 31) / 32, 32>>>(slots, n);

    by_value<<<1, 128>>>(Shape{y, n, 2.0f}, NAN, ~0ull, make_float4(1, 2, 3, 0.5f));

    cudaMalloc(&pair, 2 * n * sizeof(int));
    cudaMemset(pair, 1, 2 * n * sizeof(int));
    halves<<<1, 128>>>(pair, pair + n, n);

    float* rows[3] = {x, nullptr, y};
    float** d_rows = nullptr;
    cudaMalloc(&d_rows, sizeof rows);
    cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
    table<<<1, 128>>>(d_rows, n);

    Node *first = nullptr, *second = nullptr;
    cudaMalloc(&first, sizeof(Node)), cudaMalloc(&second, sizeof(Node));
    const Node nodes[2] = {
        {second,  1},
        {nullptr, 2}
    };
    cudaMemcpy(first, &nodes[0], sizeof(Node), cudaMemcpyHostToDevice);
    cudaMemcpy(second, &nodes[1], sizeof(Node), cudaMemcpyHostToDevice);
    list<<<1, 1>>>(first);

    const float values[3] = {0.5f, 7, 0};
    cudaMemcpyToSymbol(taps, values, sizeof values);
    filter<<<1, 128>>>(x, y, n);
    step<<<1, 128>>>(x, y, n);  // 8
    step<<<1, 128>>>(y, x, n);
    step<<<1, 128>>>(x, y, n);
    cudaMemset(y, 0, n * sizeof(float));
    step<<<1, 128>>>(y, x, n);  // 11
    read_only<<<1, 128>>>(x, n);
    fill<float><<<1, 128>>>(x, 2.5f, n);
    fill<int><<<1, 128>>>(pair, 3, n);
    guarded<<<1, 128>>>(x, slots, n);
    cudaDeviceSynchronize();
    return 0;
}
