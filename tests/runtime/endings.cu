// Programs that go wrong or end in an unusual way, one by each word of the command line. All but those that
// are about something else launch a kernel with a race first, which has to be told whatever comes then.
#include <cuda_runtime.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int kN = 256;

__global__ void scale(float* a) { a[threadIdx.x] *= 2; }
__global__ void race(float* a) {
    __shared__ float held[kN];
    const int i = threadIdx.x;
    held[i] = a[i];
    a[i] = held[(i + 1) % kN];
}
__global__ void sample(cudaTextureObject_t texture, float* out) { *out = tex1Dfetch<float>(texture, 3); }
__global__ void sample_array(cudaTextureObject_t texture, float* out) { *out = tex2D<float>(texture, 0, 0); }
__device__ int counter = 5;
__global__ void count_up() { counter += 1; }
// Ends one day, and writes nothing until then.
__global__ void generate(unsigned* out, int count) {
    unsigned x = threadIdx.x;
    for (int k = 0; k < count; ++k) x = x * 1664525u + 1013904223u;
    *out = x;
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

void say(const char* what, cudaError_t error) { printf("%s: %s\n", what, cudaGetErrorName(error)); }

void launch_race() { race<<<1, kN>>>(filled(1)); }

// Launches that wait, as those before with the same parameters were executed and nobody looked.
void leave_work() {
    float* a = filled(1);
    for (int k = 0; k < 3; ++k) scale<<<1, kN>>>(a);
    launch_race();
    for (int k = 0; k < 3; ++k) scale<<<1, kN>>>(a);
}

void segfault() {
    launch_race();
    volatile int* nowhere = nullptr;
    *nowhere = 1;
}

void forked() {
    launch_race();
    const pid_t child = fork();
    if (child == 0) {
        float* a = nullptr;
        printf("child: %s\n", cudaGetErrorName(cudaMalloc(&a, kN)));
        launch_race();
        exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("parent, the child ended with %d\n", WEXITSTATUS(status));
}

// The locks of the thread that launches are nobody's in a child.
void forked_while_busy() {
    float* a = filled(1);
    std::atomic<bool> over = false;
    std::thread launches([&] {
        while (!over) scale<<<1, kN>>>(a), cudaFree(filled(1));
    });
    int ended = 0;
    for (int k = 0; k < 8; ++k) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            void* b = nullptr;
            const cudaError_t error = cudaMalloc(&b, kN);
            cudaGetLastError();
            scale<<<1, kN>>>(a);
            exit(cudaGetLastError() == error && cudaDeviceSynchronize() == error ? error : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == cudaErrorInitializationError) ++ended;
    }
    over = true;
    launches.join();
    printf("%d children ended with cudaErrorInitializationError\n", ended);
}

// The error is not looked at, and what the call should have given is used.
void ignores() {
    cudaMipmappedArray_t levels = nullptr;
    const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaMallocMipmappedArray(&levels, &format, {8, 8, 0}, 2);
    *reinterpret_cast<volatile int*>(levels) = 1;
}

void second_device() {
    launch_race();
    say("set", cudaSetDevice(1));
    say("last", cudaGetLastError());
    float* a = filled(1);
    scale<<<1, kN>>>(a);
    printf("%g\n", first_of(a));
}

void two_threads() {
    std::thread one(launch_race), other(launch_race);
    one.join(), other.join();
    say("both", cudaDeviceSynchronize());
}

struct Last {
    bool launches = false;
    ~Last() {
        if (!launches) return;
        float* a = filled(3);
        scale<<<1, kN>>>(a);
        printf("in a destructor %g\n", first_of(a));
        launch_race();
    }
} last;

void host_pointer(const std::string& what) {
    float stack[kN] = {};
    float* heap = new float[2 * kN]();
    if (what == "pointer to a stack") scale<<<1, kN>>>(stack);
    if (what == "pointer to a heap") scale<<<1, kN>>>(heap);
    if (what == "pointer to a registered heap")
        cudaHostRegister(heap, kN * sizeof(float), 0), scale<<<1, 2 * kN>>>(heap);
    cudaDeviceSynchronize();
}

void freed() {
    float* a = filled(1);
    cudaFree(a);
    float b[4] = {};
    say("copy", cudaMemcpy(b, a + 1, sizeof b, cudaMemcpyDeviceToHost));
    scale<<<1, kN>>>(a);
    say("kernel", cudaDeviceSynchronize());
}

// The free waits with the launches before it.
void freed_while_work_waits() {
    float* a = filled(1);
    for (int k = 0; k < 3; ++k) scale<<<1, kN>>>(a);
    cudaFree(a);
    float b[4] = {};
    say("copy", cudaMemcpy(b, a, sizeof b, cudaMemcpyDeviceToHost));
    say("free", cudaFree(a));
    scale<<<1, kN>>>(a);
    say("kernel", cudaDeviceSynchronize());
}

void double_free() {
    float* a = filled(1);
    launch_race();
    say("first", cudaFree(a));
    say("second", cudaFree(a));
    int here = 0;
    say("of the host", cudaFree(&here));
    say("in the middle", cudaFree(filled(1) + 1));
}

void reset() {
    launch_race();
    float* a = filled(1);
    count_up<<<1, 1>>>();
    say("reset", cudaDeviceReset());
    int counted = 0;
    count_up<<<1, 1>>>();
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    float* b = filled(1);
    scale<<<1, kN>>>(b);
    printf("%g, counted %d\n", first_of(b), counted);
    float value = 0;
    say("copy", cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost));
    say("free", cudaFree(a));
    scale<<<1, kN>>>(a);
    say("kernel", cudaDeviceSynchronize());
}

cudaTextureObject_t texture_of(cudaResourceDesc resource) {
    const cudaTextureDesc how{};
    cudaTextureObject_t made = 0;
    cudaCreateTextureObject(&made, &resource, &how, nullptr);
    return made;
}

// Texture objects whose memory went before them.
void textures() {
    launch_race();
    float *a = filled(1), *out = filled(0);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc linear{};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = a, linear.res.linear.desc = format;
    linear.res.linear.sizeInBytes = kN * sizeof(float);
    const cudaTextureObject_t texture = texture_of(linear);
    sample<<<1, 1>>>(texture, out);
    printf("%g\n", first_of(out));
    cudaFree(a);
    sample<<<1, 1>>>(texture, out);
    say("freed", cudaDeviceSynchronize());
    cudaResourceDesc held{};
    held.resType = cudaResourceTypeArray;
    cudaMallocArray(&held.res.array.array, &format, 4, 4);
    const cudaTextureObject_t of_array = texture_of(held);
    cudaDeviceReset();
    sample_array<<<1, 1>>>(of_array, filled(0));
    say("reset", cudaDeviceSynchronize());
    say("array", cudaFreeArray(held.res.array.array));
}

void handles() {
    launch_race();
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t event = nullptr;
    cudaStreamCreate(&stream), cudaStreamCreate(&other), cudaEventCreate(&event);
    say("destroyed", cudaStreamDestroy(other));
    say("query", cudaStreamQuery(other));
    say("record", cudaEventRecord(event, stream));
    say("reset", cudaDeviceReset());
    scale<<<1, kN, 0, stream>>>(filled(1));
    say("kernel", cudaGetLastError());
    say("wait", cudaStreamSynchronize(stream));
    say("event", cudaEventSynchronize(event));
    say("record", cudaEventRecord(event));
    say("destroy", cudaStreamDestroy(stream));
    cudaStreamCreate(&stream);
    float* a = filled(1);
    scale<<<1, kN, 0, stream>>>(a);
    say("anew", cudaStreamSynchronize(stream));
    printf("%g\n", first_of(a));
}

void wait_long() {
    launch_race();
    generate<<<1, 1>>>(reinterpret_cast<unsigned*>(filled(1)), 1 << 30);
    say("never said", cudaDeviceSynchronize());
}

// More than a block's long turns, with nothing written between.
void work(int count) {
    unsigned *out = reinterpret_cast<unsigned*>(filled(1)), got = 0, expected = 0;
    generate<<<1, 1>>>(out, count);
    for (int k = 0; k < count; ++k) expected = expected * 1664525u + 1013904223u;
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    printf("%s\n", got == expected ? "right" : "wrong");
}

// Memory that was written whole gets bytes that nobody wrote.
void unwritten() {
    float *a = filled(1), *b = nullptr;
    scale<<<1, kN>>>(a);
    printf("%g\n", first_of(a));
    cudaMalloc(&b, kN * sizeof(float));
    cudaMemcpy(a, b, kN / 2 * sizeof(float), cudaMemcpyDeviceToDevice);
    scale<<<1, kN>>>(a);
    first_of(a);
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "segfault") segfault();
    if (what == "abort") launch_race(), abort();
    if (what == "ignores") ignores();
    if (what == "exit") leave_work(), exit(3);
    if (what == "_exit") leave_work(), _exit(3);
    if (what == "quick") leave_work(), quick_exit(3);
    if (what == "fork") forked();
    if (what == "forks while another thread launches") forked_while_busy();
    if (what == "device") second_device();
    if (what == "threads") two_threads();
    if (what == "atexit") atexit(launch_race);
    if (what == "destructor") last.launches = true;
    if (what == "freed") freed();
    if (what.find("pointer to ") == 0) host_pointer(what);
    if (what == "freed waits") freed_while_work_waits();
    if (what == "double") double_free();
    if (what == "unwritten") unwritten();
    if (what == "reset") reset();
    if (what == "textures") textures();
    if (what == "handles") handles();
    if (what == "long" || what == "long again") wait_long();
    if (what == "deaf") signal(SIGINT, SIG_IGN), wait_long();
    if (what == "work") work(argc > 2 ? atoi(argv[2]) : 1 << 26);
    if (what == "term") launch_race(), raise(SIGTERM);
    if (what == "throw") launch_race(), throw 1;
    return 0;
}
