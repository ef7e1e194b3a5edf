// Graphs whose nodes choose what is run: if, else, while and switch, filled by node and by capture; and how
// much memory graphs hold.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

constexpr int kN = 256;

__global__ void choose(cudaGraphConditionalHandle handle, const unsigned* value) {
    cudaGraphSetConditional(handle, *value);
}
__global__ void choose_in_every_thread(cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, threadIdx.x);
}
__global__ void count_down(cudaGraphConditionalHandle handle, unsigned* value) {
    cudaGraphSetConditional(handle, --*value);
}
__global__ void add(unsigned* sum, unsigned what) { *sum += what; }

unsigned* on_device(unsigned value) {
    unsigned* made = nullptr;
    cudaMalloc(&made, sizeof *made);
    cudaMemcpy(made, &value, sizeof value, cudaMemcpyHostToDevice);
    return made;
}
unsigned value_of(const unsigned* device) {
    unsigned value = 0;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}
void set(unsigned* device, unsigned value) {
    cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice);
}
void check(cudaError_t error) {
    if (error != cudaSuccess) printf("%s\n", cudaGetErrorName(error));
}

cudaGraphNode_t kernel_node(
    cudaGraph_t graph, cudaGraphNode_t behind, const void* function, int threads, void** args
) {
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = const_cast<void*>(function), params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(threads), params.kernel.kernelParams = args;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddNode(&node, graph, &behind, nullptr, behind != nullptr ? 1 : 0, &params));
    return node;
}
// A node that chooses by the handle; its graphs.
cudaGraph_t* choosing_node(
    cudaGraph_t graph,
    cudaGraphNode_t behind,
    cudaGraphConditionalHandle handle,
    cudaGraphConditionalNodeType type,
    unsigned size
) {
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle, params.conditional.type = type, params.conditional.size = size;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddNode(&node, graph, &behind, nullptr, behind != nullptr ? 1 : 0, &params));
    return params.conditional.phGraph_out;
}

// `size` graphs of which number k adds 10^k, chosen by a value that is 0, 1, 2, 3 in turn.
void choose_among(cudaGraphConditionalNodeType type, unsigned size) {
    unsigned *value = on_device(0), *sum = on_device(0), what = 1;
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle = 0;
    check(cudaGraphConditionalHandleCreate(&handle, graph));
    void* args[] = {&handle, &value};
    const cudaGraphNode_t first = kernel_node(graph, nullptr, reinterpret_cast<const void*>(choose), 1, args);
    cudaGraph_t* bodies = choosing_node(graph, first, handle, type, size);
    for (unsigned k = 0; k < size; ++k, what *= 10) {
        void* body_args[] = {&sum, &what};
        kernel_node(bodies[k], nullptr, reinterpret_cast<const void*>(add), 1, body_args);
    }
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned k = 0; k < 4; ++k) {
        set(value, k);
        check(cudaGraphLaunch(exec, nullptr));
        printf("%u ", value_of(sum));
    }
    printf("\n");
}

// By a default value, and a body that is captured; twice.
void repeat() {
    unsigned *value = on_device(3), *sum = on_device(0);
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle = 0;
    check(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t* bodies = choosing_node(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    check(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum, 1);
    count_down<<<1, 1, 0, stream>>>(handle, value);
    check(cudaStreamEndCapture(stream, nullptr));
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 2; ++k) {
        set(value, 3);
        check(cudaGraphLaunch(exec, stream));
        printf("%u ", value_of(sum));
    }
    printf("\n");
}

// The choosing node is put behind what a stream has captured so far, and the stream goes on behind it.
void put_into_a_capture() {
    unsigned *value = on_device(1), *sum = on_device(0);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* behind = nullptr;
    size_t count = 0;
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &behind, nullptr, &count));
    printf("%d behind %zu, ", status == cudaStreamCaptureStatusActive, count);
    cudaGraphConditionalHandle handle = 0;
    check(cudaGraphConditionalHandleCreate(&handle, graph));
    choose<<<1, 1, 0, stream>>>(handle, value);
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &behind, nullptr, &count));
    printf("then %zu; ", count);
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle, params.conditional.type = cudaGraphCondTypeIf,
    params.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddNode(&node, graph, behind, nullptr, count, &params));
    unsigned one = 1;
    void* args[] = {&sum, &one};
    kernel_node(params.conditional.phGraph_out[0], nullptr, reinterpret_cast<const void*>(add), 1, args);
    check(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, stream>>>(sum, 10);
    check(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    check(cudaGraphLaunch(exec, stream));
    printf("%u\n", value_of(sum));
}

void never_set() {
    unsigned *sum = on_device(0), one = 1;
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle = 0;
    check(cudaGraphConditionalHandleCreate(&handle, graph));
    void* args[] = {&sum, &one};
    kernel_node(
        choosing_node(graph, nullptr, handle, cudaGraphCondTypeIf, 1)[0],
        nullptr,
        reinterpret_cast<const void*>(add),
        1,
        args
    );
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    check(cudaGraphLaunch(exec, nullptr));
}

void set_by_all() {
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle = 0;
    check(cudaGraphConditionalHandleCreate(&handle, graph));
    choose_in_every_thread<<<1, 64>>>(handle);
    check(cudaDeviceSynchronize());
    choosing_node(graph, nullptr, handle + 4, cudaGraphCondTypeIf, 1);  // none of that handle
}

void say_memory(const char* when) {
    unsigned long long used = 0, high = 0, reserved = 0;
    check(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    check(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    check(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved));
    printf("%s: %llu, at most %llu, reserved %llu\n", when, used, high, reserved);
}

void memory() {
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams params = {};
    params.bytesize = 1024;
    cudaGraphNode_t made = nullptr, freed = nullptr, kept = nullptr;
    check(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &params));
    check(cudaGraphAddMemFreeNode(&freed, graph, &made, 1, params.dptr));
    params.bytesize = 512;
    check(cudaGraphAddMemAllocNode(&kept, graph, &freed, 1, &params));
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph, 0));
    say_memory("made");
    check(cudaGraphLaunch(exec, nullptr));
    say_memory("launched");
    check(cudaFree(params.dptr));
    say_memory("freed");
    check(cudaDeviceGraphMemTrim(0));
    unsigned long long nothing = 0, something = 1;
    check(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &nothing));
    say_memory("trimmed");
    check(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &something));
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "if") choose_among(cudaGraphCondTypeIf, 1);
    if (what == "else") choose_among(cudaGraphCondTypeIf, 2);
    if (what == "switch") choose_among(cudaGraphCondTypeSwitch, 3);
    if (what == "while") repeat();
    if (what == "capture") put_into_a_capture();
    if (what == "never") never_set();
    if (what == "all") set_by_all();
    if (what == "memory") memory();
}
