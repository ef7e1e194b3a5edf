// Work in several streams: per name a program whose operations nothing orders, and its right twin.
#include <cuda_runtime.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr int kCount = 4096;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void produce(float* x, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = value + i;
}
__global__ void consume(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];
}
__global__ void half(float* x, int first, float value) {
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = value;
}
__global__ void count(unsigned* counter) { atomicAdd(counter, 1); }

struct Data {
    float *x, *y, *z;
    cudaStream_t a, b;
    cudaEvent_t event;
};

Data made(unsigned flags) {
    Data d;
    for (float** p : {&d.x, &d.y, &d.z}) cudaMalloc(p, kBytes), cudaMemset(*p, 0, kBytes);
    cudaStreamCreateWithFlags(&d.a, flags), cudaStreamCreateWithFlags(&d.b, flags);
    cudaEventCreateWithFlags(&d.event, cudaEventDisableTiming);
    cudaDeviceSynchronize();
    return d;
}

void event(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    produce<<<16, 256, 0, d.a>>>(d.x, 1);
    if (right) cudaEventRecord(d.event, d.a), cudaStreamWaitEvent(d.b, d.event);
    consume<<<16, 256, 0, d.b>>>(d.x, d.y);
}
// The event is recorded before what it should stand for.
void early_event(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    if (!right) cudaEventRecord(d.event, d.a);
    produce<<<16, 256, 0, d.a>>>(d.x, 1);
    if (right) cudaEventRecord(d.event, d.a);
    cudaStreamWaitEvent(d.b, d.event);
    consume<<<16, 256, 0, d.b>>>(d.x, d.y);
}
// By the default stream, which blocking streams wait for, and others do not.
void legacy(bool right) {
    const Data d = made(right ? cudaStreamDefault : cudaStreamNonBlocking);
    produce<<<16, 256>>>(d.x, 1);
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
}
void fill(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    cudaMemset(d.x, 1, kBytes);
    if (right) cudaStreamSynchronize(cudaStreamLegacy);
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
}
void copy(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    float* host = nullptr;
    cudaMallocHost(&host, kBytes);
    produce<<<16, 256, 0, d.a>>>(d.x, 1);
    cudaMemcpyAsync(host, d.x, kBytes, cudaMemcpyDeviceToHost, right ? d.a : d.b);
}
// Two streams each have a half; they meet in one element.
void halves(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    half<<<8, 256, 0, d.a>>>(d.x, 0, 1);
    half<<<8, 256, 0, d.b>>>(d.x, right ? 2048 : 2047, 2);
}
void free_early(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    float* x = nullptr;
    cudaMallocAsync(&x, kBytes, d.a);
    produce<<<16, 256, 0, d.a>>>(x, 1);
    cudaEventRecord(d.event, d.a), cudaStreamWaitEvent(d.b, d.event);
    consume<<<16, 256, 0, d.b>>>(x, d.y);
    cudaFreeAsync(x, right ? d.b : d.a);
}
// A captured graph whose branches do not meet.
void graph(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    cudaEvent_t forked, joined;
    cudaEventCreate(&forked), cudaEventCreate(&joined);
    cudaStreamBeginCapture(d.a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, d.a), cudaStreamWaitEvent(d.b, forked);
    produce<<<16, 256, 0, d.a>>>(d.x, 1);
    if (right) cudaEventRecord(d.event, d.a), cudaStreamWaitEvent(d.b, d.event);
    consume<<<16, 256, 0, d.b>>>(d.x, d.y);
    cudaEventRecord(joined, d.b), cudaStreamWaitEvent(d.a, joined);
    cudaGraph_t made_graph = nullptr;
    cudaStreamEndCapture(d.a, &made_graph);
    cudaGraphExec_t run = nullptr;
    cudaGraphInstantiate(&run, made_graph, 0);
    for (int k = 0; k < 3; ++k) cudaGraphLaunch(run, d.a);
}
// A launch that is not executed again, as it would change nothing.
void again(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(d.z, d.y, kBytes, cudaMemcpyDeviceToDevice, d.b);
    if (right) cudaStreamSynchronize(d.b);
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
}
// The second stream is made when work of the default stream is under way.
void late(bool right) {
    float *x, *y;
    cudaMalloc(&x, kBytes), cudaMalloc(&y, kBytes);
    produce<<<16, 256>>>(x, 1);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, right ? cudaStreamDefault : cudaStreamNonBlocking);
    consume<<<16, 256, 0, stream>>>(x, y);
}
// The same after a launch that was waited for, and is not executed again.
void late_again(bool right) {
    float *x, *y;
    cudaMalloc(&x, kBytes), cudaMalloc(&y, kBytes), cudaMemset(x, 0, kBytes);
    for (int k = 0; k < 4; ++k) {
        if (k > 0) cudaDeviceSynchronize();
        consume<<<16, 256>>>(x, y);
    }
    if (right) cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    produce<<<16, 256, 0, stream>>>(x, 1);
}
// More than what is kept of one stream lies between.
void late_many(bool right) {
    float *x, *y;
    cudaMalloc(&x, kBytes), cudaMalloc(&y, kBytes);
    produce<<<16, 256>>>(x, 1);
    for (int k = 0; k < 20; ++k) produce<<<16, 256>>>(y, k);
    if (right) cudaDeviceSynchronize();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    produce<<<16, 256, 0, stream>>>(x, 2);
}
// One block begins early, as the launch before lets it.
__global__ void first(float* x) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    x[threadIdx.x] = threadIdx.x;
}
__global__ void second(const float* x, float* y, int early) {
    float value = early ? x[threadIdx.x] : 0;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (!early) value = x[threadIdx.x];
    y[threadIdx.x] = value;
}
void programmatic(bool right) {
    const Data d = made(cudaStreamDefault);
    first<<<1, 256, 0, d.a>>>(d.x);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1, config.blockDim = 256, config.stream = d.a;
    config.attrs = &attribute, config.numAttrs = 1;
    cudaLaunchKernelEx(&config, second, (const float*)d.x, d.y, right ? 0 : 1);
}

// The host fills a buffer again that a copy may still read.
void refill(bool right, bool registered) {
    const Data d = made(cudaStreamNonBlocking);
    float* host = nullptr;
    if (registered)
        cudaHostRegister(host = static_cast<float*>(std::malloc(kBytes)), kBytes, cudaHostRegisterDefault);
    else
        cudaMallocHost(&host, kBytes);
    std::memset(host, 0, kBytes);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.a);
    if (right) cudaStreamSynchronize(d.a);
    host[5] = 42;
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
    cudaStreamSynchronize(d.a);
}
// A kernel reads the host's memory itself.
void mapped(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    float* host = nullptr;
    cudaMallocHost(&host, kBytes);
    std::memset(host, 0, kBytes);
    consume<<<16, 256, 0, d.a>>>(host, d.y);
    if (right) cudaStreamSynchronize(d.a);
    host[7] = 42;
    cudaStreamSynchronize(d.a);
}
// The host reads the result of a copy, and of a kernel, too early.
void read_copy(bool right) {
    const Data d = made(cudaStreamNonBlocking);
    float* host = nullptr;
    cudaMallocHost(&host, kBytes);
    cudaMemcpyAsync(host, d.x, kBytes, cudaMemcpyDeviceToHost, d.a);
    if (right) cudaStreamSynchronize(d.a);
    printf("%g\n", host[7]);
}
// Its last call is long over when it does.
void read_last(bool right) {
    static float* host = nullptr;
    cudaMallocManaged(&host, kBytes);
    produce<<<16, 256>>>(host, 1);
    if (right) cudaDeviceSynchronize();
    std::atexit([] { printf("%g\n", host[8]); });
}
// Its own answer depends on the order.
int answer() {
    const Data d = made(cudaStreamNonBlocking);
    std::vector<float> got(kCount);
    produce<<<16, 256>>>(d.x, 1);
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
    cudaMemcpyAsync(got.data(), d.y, kBytes, cudaMemcpyDeviceToHost, d.a);
    cudaStreamSynchronize(d.a);
    int wrong = 0;
    for (int k = 0; k < kCount; ++k) wrong += got[k] != 2.0f * (1 + k);
    printf("%d of %d wrong\n", wrong, kCount);
    return wrong != 0 ? 7 : 0;
}

// ---- right programs in the manner of NVIDIA's samples
// Work and copies of each part in a stream of its own.
void simple_streams() {
    constexpr int kStreams = 4, kPart = kCount / kStreams;
    Data d = made(cudaStreamDefault);
    float* host = nullptr;
    cudaMallocHost(&host, kBytes);
    cudaStream_t streams[kStreams];
    for (cudaStream_t& s : streams) cudaStreamCreate(&s);
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < kStreams; ++k) half<<<kPart / 256, 256, 0, streams[k]>>>(d.x, k * kPart, k);
        for (int k = 0; k < kStreams; ++k)
            cudaMemcpyAsync(host + k * kPart, d.x + k * kPart, kPart * 4, cudaMemcpyDeviceToHost, streams[k]);
    }
    cudaDeviceSynchronize();
    for (cudaStream_t s : streams) cudaStreamDestroy(s);
    printf("%g\n", host[kCount - 1]);
}
// The host works on until an event has come.
void async_api() {
    const Data d = made(cudaStreamDefault);
    float* host = nullptr;
    cudaMallocHost(&host, kBytes);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice), printf("%g\n", host[0]);
    consume<<<16, 256>>>(d.x, d.y);
    cudaMemcpyAsync(host, d.y, kBytes, cudaMemcpyDeviceToHost);
    cudaEventRecord(end);
    while (cudaEventQuery(end) == cudaErrorNotReady) {}
    consume<<<16, 256, 0, d.a>>>(d.y, d.z);
    float time = 0;
    cudaEventElapsedTime(&time, begin, end);
    cudaDeviceSynchronize();
}
// Copies in, work, copies out, each in turn on one of several streams, by events.
void multi_copy() {
    constexpr int kStreams = 3;
    float *in[kStreams], *out[kStreams], *host_in[kStreams], *host_out[kStreams];
    cudaStream_t streams[kStreams];
    cudaEvent_t done[kStreams];
    for (int k = 0; k < kStreams; ++k) {
        cudaMalloc(&in[k], kBytes), cudaMalloc(&out[k], kBytes);
        cudaMallocHost(&host_in[k], kBytes), cudaMallocHost(&host_out[k], kBytes);
        std::memset(host_in[k], 0, kBytes);
        cudaStreamCreate(&streams[k]), cudaEventCreate(&done[k]);
        cudaMemcpyAsync(in[k], host_in[k], kBytes, cudaMemcpyHostToDevice);
        cudaEventRecord(done[k], streams[k]);
    }
    for (int k = 0, now = 0; k < 8; ++k) {
        const int next = (now + 1) % kStreams;
        cudaEventSynchronize(done[now]);
        consume<<<16, 256, 0, streams[now]>>>(in[now], out[now]);
        cudaMemcpyAsync(in[next], host_in[next], kBytes, cudaMemcpyHostToDevice, streams[next]);
        cudaMemcpyAsync(host_out[now], out[now], kBytes, cudaMemcpyDeviceToHost, streams[now]);
        cudaEventRecord(done[now], streams[now]);
        now = next;
    }
    cudaDeviceSynchronize();
}
// A producer and a consumer take turns with two buffers, by two events a buffer.
void double_buffer() {
    const Data d = made(cudaStreamNonBlocking);
    float* buffer[2] = {d.x, d.z};
    cudaEvent_t full[2], empty[2];
    for (int k = 0; k < 2; ++k)
        cudaEventCreateWithFlags(&full[k], cudaEventDisableTiming),
            cudaEventCreateWithFlags(&empty[k], cudaEventDisableTiming);
    for (int k = 0; k < 6; ++k) {
        if (k > 1) cudaStreamWaitEvent(d.a, empty[k % 2]);
        produce<<<16, 256, 0, d.a>>>(buffer[k % 2], k);
        cudaEventRecord(full[k % 2], d.a);
        cudaStreamWaitEvent(d.b, full[k % 2]);
        consume<<<16, 256, 0, d.b>>>(buffer[k % 2], d.y);
        cudaEventRecord(empty[k % 2], d.b);
    }
    cudaDeviceSynchronize();
}
void timed() {
    const Data d = made(cudaStreamDefault);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    for (int k = 0; k < 5; ++k) {
        cudaEventRecord(begin, d.a);
        produce<<<16, 256, 0, d.a>>>(d.x, 1);
        consume<<<16, 256, 0, d.a>>>(d.x, d.y);
        cudaEventRecord(end, d.a);
        cudaEventSynchronize(end);
        float time = 0;
        cudaEventElapsedTime(&time, begin, end);
    }
}
// A buffer of the host is read, and written, by the stream alone; a function of the host in the stream
// changes it too.
void in_place() {
    const Data d = made(cudaStreamNonBlocking);
    float* host = nullptr;
    cudaMallocHost(&host, kBytes);
    std::memset(host, 0, kBytes);
    cudaMemcpyAsync(d.x, host, kBytes, cudaMemcpyHostToDevice, d.a);
    consume<<<16, 256, 0, d.a>>>(d.x, d.y);
    produce<<<16, 256, 0, d.a>>>(d.y, 3);
    cudaMemcpyAsync(host, d.y, kBytes, cudaMemcpyDeviceToHost, d.a);
    cudaLaunchHostFunc(
        d.a, [](void* data) { static_cast<float*>(data)[9] = -1; }, host
    );
    cudaStreamSynchronize(d.a);
    host[11] = 4;
    cudaDeviceSynchronize();
}
__global__ void tell_by_flag(float* x, volatile unsigned* flag) {
    x[threadIdx.x] = threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}
sigjmp_buf jump;
// The host reads beside what work uses, what a flag tells it is there, and has faults of its own.
void beside() {
    const Data d = made(cudaStreamNonBlocking);
    float *host = nullptr, *told = nullptr;
    unsigned* flag = nullptr;
    cudaMallocManaged(&host, 2 * kBytes), cudaMallocHost(&told, kBytes), cudaMallocHost(&flag, 64);
    *flag = 0;
    signal(SIGSEGV, [](int) { siglongjmp(jump, 1); });
    half<<<1, 32, 0, d.a>>>(host, 0, 1);
    tell_by_flag<<<1, 64, 0, d.a>>>(told, flag);
    while (*(volatile unsigned*)flag == 0) {}
    float sum = host[kCount] + host[40] + told[3];
    if (sigsetjmp(jump, 1) == 0) sum += *(volatile float*)16;
    cudaStreamSynchronize(d.a);
    printf("%g\n", sum + host[3]);
}
// Atomics may meet in any order.
void counters() {
    const Data d = made(cudaStreamNonBlocking);
    unsigned* counter = reinterpret_cast<unsigned*>(d.x);
    count<<<16, 256, 0, d.a>>>(counter);
    count<<<16, 256, 0, d.b>>>(counter);
    cudaDeviceSynchronize();
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const bool right = argc > 2;
    if (what == "event") event(right);
    if (what == "early_event") early_event(right);
    if (what == "legacy") legacy(right);
    if (what == "fill") fill(right);
    if (what == "copy") copy(right);
    if (what == "halves") halves(right);
    if (what == "free") free_early(right);
    if (what == "graph") graph(right);
    if (what == "again") again(right);
    if (what == "late") late(right);
    if (what == "late_again") late_again(right);
    if (what == "late_many") late_many(right);
    if (what == "programmatic") programmatic(right);
    if (what == "refill" || what == "registered") refill(right, what == "registered");
    if (what == "mapped") mapped(right);
    if (what == "read_copy") read_copy(right);
    if (what == "read_last") return read_last(right), 0;
    if (what == "answer") return answer();
    if (what == "samples")
        in_place(), simple_streams(), async_api(), multi_copy(), double_buffer(), timed(), counters(),
            beside();
    return cudaDeviceSynchronize();
}
