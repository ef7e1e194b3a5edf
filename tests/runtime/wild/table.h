// A table of calls with arguments that are wrong: null, wild, freed, of the wrong kind, out of range. One
// source for a GPU and for the stand-in runtime; what a GPU's driver answered is
// docs/measured/wild-calls-*.json.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wild {

// What the calls of a row answered, by the names of the errors.
struct Answers {
    std::string text;
    void operator()(const std::string& word) { text += (text.empty() ? "" : ", ") + word; }
    void operator()(cudaError_t error);
    void operator()(CUresult error);
};

struct Row {
    const char* name;
    void (*call)(Answers& say);
};
std::vector<Row>& rows();

struct Registered {
    Registered(const char* name, void (*call)(Answers& say)) { rows().push_back({name, call}); }
};

#define WILD_JOINED(a, b) a##b
#define WILD_NAME(line) WILD_JOINED(row_at_, line)
// `say(call)` for each answer that counts.
#define ROW(name, ...) const Registered WILD_NAME(__LINE__)(name, [](Answers& say) { __VA_ARGS__; });
#define CALL(name, ...) ROW(name, say(__VA_ARGS__))

constexpr uintptr_t kNowhere = 0x5a5a5a5a5000;  // no mapping of a process lies there

template <class T = void*>
T nowhere() {
    return reinterpret_cast<T>(kNowhere);  // NOLINT(performance-no-int-to-ptr): an address of nothing
}

constexpr size_t kBytes = 4096, kHuge = ~size_t{0}, kTebibyte = size_t{1} << 40;

// Objects as a right program makes them. Each row runs in a process of its own: nothing is given back.
void* device_memory();  // kBytes
void* freed_memory();
void* pinned_memory();
void* managed_memory();
void* host_memory();       // kBytes, from malloc
void* read_only_memory();  // a page that cannot be written
void* last_bytes();        // 16 bytes before a page that is not there
cudaStream_t stream();
cudaStream_t destroyed_stream();
cudaEvent_t event();
cudaEvent_t destroyed_event();
cudaArray_t array();  // 64 x 16 floats
cudaArray_t freed_array();
cudaMemPool_t pool();
cudaMemPool_t destroyed_pool();
cudaGraph_t graph();
cudaGraph_t destroyed_graph();
cudaGraphNode_t empty_node(cudaGraph_t of);
cudaGraphExec_t instance();
cudaGraphExec_t destroyed_instance();
cudaTextureObject_t texture();
cudaKernelNodeParams node_params();
cudaResourceDesc linear(void* at, size_t bytes);
cudaResourceDesc of_array(cudaArray_t a);

// Of wild_calls.cu: a kernel (float*, int), one without parameters, and a variable of 64 bytes.
const void* kernel();
const void* plain_kernel();
const void* variable();

// The driver's: cuInit and the primary context of the first device, and what lies in it.
CUcontext context();
CUmodule module_of_text();
CUmodule unloaded_module();
CUfunction function();
CUdeviceptr memory_of_driver();
extern const char* const kText;  // PTX with a kernel `fill` (u64, u32), a variable `word` of 4 bytes

// What `call` answers in a child of a fork.
int in_a_fork(int (*call)());

}  // namespace wild
