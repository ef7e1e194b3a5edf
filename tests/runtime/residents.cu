// Kernels that are on the device at once and wait for each other, for the host, or for a copy: by name.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

constexpr int kTasks = 24;

struct Queue {
    unsigned given, done;
};

__global__ void worker(Queue* q, int* result, int tasks) {
    if (threadIdx.x != 0) return;
    for (int task = blockIdx.x; task < tasks; task += gridDim.x) {
        while (atomicAdd(&q->given, 0u) <= (unsigned)task) {}
        __threadfence();
        result[task] = task * task;
        __threadfence();
        atomicAdd(&q->done, 1u);
    }
}
__global__ void scheduler(Queue* q, int tasks) {
    for (int given = 0; given < tasks;) {
        const int batch = min(8, tasks - given);
        given += batch;
        __threadfence();
        atomicAdd(&q->given, (unsigned)batch);
        while (atomicAdd(&q->done, 0u) < (unsigned)given) {}
    }
}
// Waits until somebody has raised the flag so far.
__global__ void wait_until(unsigned* flag, unsigned value, int* out) {
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0u) < value) {}
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0) atomicAdd(out, 1);
}
__global__ void raise_flag(unsigned* flag) { atomicAdd(flag, 1u); }
// Fed by the host through memory that both see.
__global__ void serve(volatile unsigned* task, volatile unsigned* answer, int tasks) {
    for (unsigned k = 1; k <= (unsigned)tasks; ++k) {
        while (*task < k) {}
        __threadfence_system();
        *answer = k * k;
        __threadfence_system();
    }
}

int wrong_of(const int* result) {
    int got[kTasks], wrong = 0;
    cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < kTasks; ++i) wrong += got[i] != i * i;
    return wrong;
}

struct Data {
    Queue* q;
    int* result;
    unsigned *flag, *task, *answer;
    cudaStream_t a, b;
};
Data made() {
    Data d;
    cudaMalloc(&d.q, sizeof *d.q), cudaMemset(d.q, 0, sizeof *d.q);
    cudaMalloc(&d.result, kTasks * 4), cudaMemset(d.result, 0, kTasks * 4);
    cudaMalloc(&d.flag, 4), cudaMemset(d.flag, 0, 4);
    cudaMallocHost(&d.task, 64), cudaMallocHost(&d.answer, 64);
    *d.task = *d.answer = 0;
    cudaStreamCreateWithFlags(&d.a, cudaStreamNonBlocking),
        cudaStreamCreateWithFlags(&d.b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    return d;
}
void talk(const Data& d, bool reversed) {
    if (!reversed) scheduler<<<1, 1, 0, d.b>>>(d.q, kTasks);
    worker<<<8, 32, 0, d.a>>>(d.q, d.result, kTasks);
    if (reversed) scheduler<<<1, 1, 0, d.b>>>(d.q, kTasks);
    cudaDeviceSynchronize();
    printf("%d wrong\n", wrong_of(d.result));
}

// ---- values that streams write, and wait for

using OfValue = int (*)(cudaStream_t, unsigned long long, unsigned, unsigned);
OfValue function(const char* name) {
    void* out = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion(name, &out, 12000, cudaEnableDefault, &found);
    return reinterpret_cast<OfValue>(out);
}
__global__ void fill(int* x) { x[threadIdx.x] = 5; }
__global__ void take(const int* x, int* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }

__global__ void take_when(const unsigned* flag, const int* x, int* y) {
    while (*(const volatile unsigned*)flag == 0) {}
    __threadfence();
    *y = *x;
}
// A kernel that waits gets its input by a copy, and then the value.
void written(const Data& d) {
    d.task[0] = 7;
    take_when<<<1, 1, 0, d.a>>>(d.flag, (const int*)d.q, d.result);
    cudaMemcpyAsync(d.q, d.task, 4, cudaMemcpyHostToDevice, d.b);
    function("cuStreamWriteValue32")(d.b, (unsigned long long)d.flag, 1, 0);
    int got = 0;
    cudaMemcpyAsync(d.answer, d.result, 4, cudaMemcpyDeviceToHost, d.a);
    const cudaError_t error = cudaStreamSynchronize(d.a);
    got = (int)d.answer[0];
    printf("%s %d\n", cudaGetErrorName(error), got);
}
// One stream waits for the value that another one writes later.
void awaited(const Data& d, bool waits, bool writes) {
    int* y = (int*)d.q;
    if (waits) printf("%d\n", function("cuStreamWaitValue32")(d.b, (unsigned long long)d.flag, 3, 0));
    if (waits) take<<<1, 2, 0, d.b>>>(d.result, y);
    fill<<<1, 2, 0, d.a>>>(d.result);
    if (writes) function("cuStreamWriteValue32")(d.a, (unsigned long long)d.flag, 3, 0);
    if (!waits) take<<<1, 2, 0, d.b>>>(d.result, y);
    int got = 0;
    cudaMemcpyAsync(d.task, y, 4, cudaMemcpyDeviceToHost, d.b);
    const cudaError_t error = cudaStreamSynchronize(d.b);
    got = (int)d.task[0];
    printf("%s %d\n", cudaGetErrorName(error), got);
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const Data d = made();
    const auto [q, result, flag, task, answer, a, b] = d;
    if (what == "talk" || what == "reversed") talk(d, what == "reversed");
    // What comes after the one that waits is done after it, what comes beside it before.
    if (what == "after") {
        wait_until<<<1, 32, 0, a>>>(flag, 1, result);
        cudaMemcpyAsync(task, result, 4, cudaMemcpyDeviceToHost, a);
        raise_flag<<<1, 1, 0, b>>>(flag);
        cudaStreamSynchronize(a);
        printf("%d\n", (int)*task);
    }
    if (what == "copy") {
        *task = 1;
        wait_until<<<1, 32, 0, a>>>(flag, 1, result);
        cudaMemcpyAsync(flag, task, 4, cudaMemcpyHostToDevice, b);
        printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(a)));
    }
    if (what == "query") {
        wait_until<<<1, 32, 0, a>>>(flag, 1, result);
        const cudaError_t before = cudaStreamQuery(a);
        raise_flag<<<1, 1, 0, b>>>(flag);
        printf("%s %s\n", cudaGetErrorName(before), cudaGetErrorName(cudaStreamQuery(a)));
    }
    if (what == "host") {
        serve<<<1, 1, 0, a>>>(task, answer, 3);
        int* beside = nullptr;
        cudaMalloc(&beside, 1 << 20);
        *static_cast<volatile unsigned*>(task) = 3;
        cudaStreamSynchronize(a);
        printf("%u\n", *static_cast<volatile unsigned*>(answer));
    }
    if (what == "written") written(d);
    if (what == "awaited" || what == "not awaited" || what == "not written")
        awaited(d, what != "not awaited", what != "not written");
    // Nobody raises it that far.
    if (what == "never") {
        wait_until<<<1, 32, 0, a>>>(flag, 2, result);
        raise_flag<<<1, 1, 0, b>>>(flag);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
    // Blocks of 1024 threads: two on each of 132 multiprocessors, and no room for who would raise it.
    if (what == "full" || what == "fits") {
        wait_until<<<what == "full" ? 264 : 263, 1024, 0, a>>>(flag, 1, result);
        raise_flag<<<1, 1, 0, b>>>(flag);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
