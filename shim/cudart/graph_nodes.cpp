// Nodes that a program adds to a graph itself, and new parameters for those of an instance.
#include "instrumentation/base/error.h"
#include "shim/cudart/arrays.h"
#include "shim/cudart/launches.h"
#include "shim/cudart/streams.h"

namespace wl::cudart {

std::function<cudaError_t()> allocation_work(void* memory) {
    return [at = reinterpret_cast<uint64_t>(memory)] {
        const Call call = begin();
        runtime::catch_up(call.machine);
        runtime::make_again(call.machine.memory, at);
        note_graph_memory(at, true);
        return cudaSuccess;
    };
}

std::vector<Node*> nodes_of(const cudaGraphNode_t* handles, size_t count) {
    std::vector<Node*> out;
    for (size_t k = 0; k < count; ++k) out.push_back(node_of(handles[k]));
    return out;
}

namespace {

cudaError_t add(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    cudaGraphNodeType type,
    std::function<cudaError_t()> work
) {
    *out = reinterpret_cast<cudaGraphNode_t>(
        add_node(*graph_of(graph), type, std::move(work), nodes_of(behind, count))
    );
    return cudaSuccess;
}

// Arguments are taken when the node is made.
std::function<cudaError_t()> kernel_work(const cudaKernelNodeParams& p) {
    const Call call = begin();
    runtime::Kernel* kernel = kernel_of(call.machine, p.func);
    if (kernel == nullptr) return nullptr;
    runtime::Request request;
    request.grid = {p.gridDim.x, p.gridDim.y, p.gridDim.z};
    request.block = {p.blockDim.x, p.blockDim.y, p.blockDim.z};
    request.shared = p.sharedMemBytes;
    try {
        request.params = runtime::params_from(call.machine, *kernel, p.kernelParams);
    } catch (const std::exception& e) {
        runtime::tell_error(call.machine, e.what());
        return nullptr;
    }
    return [kernel, request] {
        const Call inner = begin();
        return error_of(runtime::launch(inner.machine, *kernel, request));
    };
}

std::function<cudaError_t()> fill_work(const cudaMemsetParams& p) {
    return [p] {
        return fill_now(
            {address_of(p.dst), p.pitch, 0}, p.value, p.elementSize, {p.width * p.elementSize, p.height}
        );
    };
}

cudaError_t renew(cudaGraphExec_t exec, cudaGraphNode_t node, std::function<cudaError_t()> work) {
    Node* own = instance_node(exec, node);
    if (own == nullptr || !work) return done(cudaErrorInvalidValue);
    own->work = std::move(work);
    return cudaSuccess;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaGraphAddKernelNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    const cudaKernelNodeParams* params
) {
    std::function<cudaError_t()> work = kernel_work(*params);
    if (!work) return done(cudaErrorInvalidDeviceFunction);
    add(out, graph, behind, count, cudaGraphNodeTypeKernel, std::move(work));
    node_of(*out)->kernel = *params;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* out) {
    *out = node_of(node)->kernel;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
    std::function<cudaError_t()> work = kernel_work(*params);
    if (!work) return done(cudaErrorInvalidDeviceFunction);
    node_of(node)->work = std::move(work), node_of(node)->kernel = *params;
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* params
) {
    return renew(exec, node, kernel_work(*params));
}

cudaError_t cudaGraphAddMemcpyNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    const cudaMemcpy3DParms* params
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeMemcpy, [p = *params] {
        return copy_described(p);
    });
}

cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    void* to,
    const void* from,
    size_t bytes,
    cudaMemcpyKind kind
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeMemcpy, [=] {
        return cudaMemcpy(to, from, bytes, kind);
    });
}

cudaError_t cudaGraphAddMemsetNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    const cudaMemsetParams* params
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeMemset, fill_work(*params));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* params
) {
    return renew(exec, node, fill_work(*params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(
    cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from, size_t bytes, cudaMemcpyKind kind
) {
    return renew(exec, node, [=] { return cudaMemcpy(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddHostNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    const cudaHostNodeParams* params
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeHost, [p = *params] {
        p.fn(p.userData);
        return cudaSuccess;
    });
}

// Memory of a graph is there from when its node is added: launches find it at one address, also where the
// program freed it between them.
cudaError_t cudaGraphAddMemAllocNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    cudaMemAllocNodeParams* params
) {
    if (const cudaError_t error = cudaMalloc(&params->dptr, params->bytesize); error != cudaSuccess)
        return error;
    return add(out, graph, behind, count, cudaGraphNodeTypeMemAlloc, allocation_work(params->dptr));
}

cudaError_t cudaGraphAddMemFreeNode(
    cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind, size_t count, void* memory
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeMemFree, [base = address_of(memory)] {
        note_graph_memory(base, false);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddEmptyNode(
    cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind, size_t count
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeEmpty, nullptr);
}

cudaError_t cudaGraphAddChildGraphNode(
    cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind, size_t count, cudaGraph_t child
) {
    return add(out, graph, behind, count, cudaGraphNodeTypeGraph, child_work(child));
}
}
