#include "table.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wild {

std::vector<Row>& rows() {
    static std::vector<Row> all;
    return all;
}

void Answers::operator()(cudaError_t error) { (*this)(std::string(cudaGetErrorName(error))); }

void Answers::operator()(CUresult error) {
    const char* name = nullptr;
    cuGetErrorName(error, &name);
    (*this)(std::string(name != nullptr ? name : "unknown error"));
}

void* device_memory() {
    void* out = nullptr;
    cudaMalloc(&out, kBytes);
    cudaMemset(out, 0, kBytes);
    return out;
}

void* freed_memory() {
    void* out = device_memory();
    cudaFree(out);
    return out;
}

void* pinned_memory() {
    void* out = nullptr;
    cudaMallocHost(&out, kBytes);
    return out;
}

void* managed_memory() {
    void* out = nullptr;
    cudaMallocManaged(&out, kBytes, cudaMemAttachGlobal);
    return out;
}

void* host_memory() { return std::calloc(1, kBytes); }

void* read_only_memory() { return mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

void* last_bytes() {
    auto* at = static_cast<char*>(
        mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    );
    munmap(at + kBytes, kBytes);
    return at + kBytes - 16;
}

cudaStream_t stream() {
    cudaStream_t out = nullptr;
    cudaStreamCreate(&out);
    return out;
}

cudaStream_t destroyed_stream() {
    cudaStream_t out = stream();
    cudaStreamDestroy(out);
    return out;
}

cudaEvent_t event() {
    cudaEvent_t out = nullptr;
    cudaEventCreate(&out);
    return out;
}

cudaEvent_t destroyed_event() {
    cudaEvent_t out = event();
    cudaEventDestroy(out);
    return out;
}

cudaArray_t array() {
    cudaArray_t out = nullptr;
    const cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaMallocArray(&out, &format, 64, 16, 0);
    return out;
}

cudaArray_t freed_array() {
    cudaArray_t out = array();
    cudaFreeArray(out);
    return out;
}

cudaMemPool_t pool() {
    cudaMemPool_t out = nullptr;
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&out, &props);
    return out;
}

cudaMemPool_t destroyed_pool() {
    cudaMemPool_t out = pool();
    cudaMemPoolDestroy(out);
    return out;
}

cudaGraph_t graph() {
    cudaGraph_t out = nullptr;
    cudaGraphCreate(&out, 0);
    return out;
}

cudaGraph_t destroyed_graph() {
    cudaGraph_t out = graph();
    cudaGraphDestroy(out);
    return out;
}

cudaGraphNode_t empty_node(cudaGraph_t of) {
    cudaGraphNode_t out = nullptr;
    cudaGraphAddEmptyNode(&out, of, nullptr, 0);
    return out;
}

cudaGraphExec_t instance() {
    cudaGraphExec_t out = nullptr;
    cudaGraph_t of = graph();
    empty_node(of);
    cudaGraphInstantiate(&out, of, 0);
    return out;
}

cudaGraphExec_t destroyed_instance() {
    cudaGraphExec_t out = instance();
    cudaGraphExecDestroy(out);
    return out;
}

cudaResourceDesc linear(void* at, size_t bytes) {
    cudaResourceDesc out{};
    out.resType = cudaResourceTypeLinear;
    out.res.linear = {
        at, {32, 0, 0, 0, cudaChannelFormatKindFloat},
         bytes
    };
    return out;
}

cudaResourceDesc of_array(cudaArray_t a) {
    cudaResourceDesc out{};
    out.resType = cudaResourceTypeArray;
    out.res.array.array = a;
    return out;
}

cudaTextureObject_t texture() {
    cudaTextureObject_t out = 0;
    const cudaResourceDesc resource = linear(device_memory(), kBytes);
    const cudaTextureDesc how{};
    cudaCreateTextureObject(&out, &resource, &how, nullptr);
    return out;
}

cudaKernelNodeParams node_params() {
    cudaKernelNodeParams out{};
    out.func = const_cast<void*>(plain_kernel());
    out.gridDim = out.blockDim = dim3(1, 1, 1);
    return out;
}

const char* const kText = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 word = 7;
.visible .entry fill(.param .u64 at, .param .u32 value)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [at];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd2], %r1;
    ret;
}
)";

CUcontext context() {
    CUcontext out = nullptr;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&out, 0);
    cuCtxSetCurrent(out);
    return out;
}

CUmodule module_of_text() {
    CUmodule out = nullptr;
    context();
    cuModuleLoadData(&out, kText);
    return out;
}

CUmodule unloaded_module() {
    CUmodule out = module_of_text();
    cuModuleUnload(out);
    return out;
}

CUfunction function() {
    CUfunction out = nullptr;
    cuModuleGetFunction(&out, module_of_text(), "fill");
    return out;
}

CUdeviceptr memory_of_driver() {
    CUdeviceptr out = 0;
    context();
    cuMemAlloc(&out, kBytes);
    return out;
}

int in_a_fork(int (*call)()) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(call());
    }
    int state = 0;
    waitpid(child, &state, 0);
    return WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
}

}  // namespace wild
