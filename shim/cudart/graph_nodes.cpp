// Nodes that a program adds to a graph itself, and new parameters for those of an instance.
#include "instrumentation/base/error.h"
#include "instrumentation/runtime/captured.h"
#include "shim/cudart/arrays.h"
#include "shim/cudart/copies.h"
#include "shim/cudart/launches.h"
#include "shim/cudart/streams.h"

#include <optional>

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

namespace {

cudaError_t add(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    cudaGraphNodeType type,
    std::function<cudaError_t()> work,
    const std::vector<runtime::CapturedSide>& sides = {}
) {
    std::vector<Node*> nodes;
    if (const cudaError_t error = nodes_of(*graph_of(graph), behind, count, nodes); error != cudaSuccess)
        return done(error);
    Node* node = add_node(*graph_of(graph), type, std::move(work), std::move(nodes));
    node->captured = runtime::captured(begin_without_looking().machine, sides);
    *out = reinterpret_cast<cudaGraphNode_t>(node);
    return cudaSuccess;
}

// Arguments are taken when the node is made.
cudaError_t kernel_work(const cudaKernelNodeParams& p, std::function<cudaError_t()>& work) {
    const Call call = begin();
    runtime::Kernel* kernel = kernel_of(call.machine, p.func);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    runtime::Request request;
    request.grid = {p.gridDim.x, p.gridDim.y, p.gridDim.z};
    request.block = {p.blockDim.x, p.blockDim.y, p.blockDim.z};
    request.shared = p.sharedMemBytes;
    try {
        std::optional<std::vector<std::byte>> params =
            runtime::params_from(call.machine, *kernel, p.kernelParams);
        if (!params) return cudaErrorInvalidValue;
        request.params = std::move(*params);
        const runtime::Refusal refusal = runtime::refused_shape(call.machine, *kernel, request);
        if (refusal.failure != runtime::Failure::none) return error_of(refusal.failure);
    } catch (const std::exception& e) {
        runtime::tell_error(call.machine, e.what());
        return cudaErrorInvalidDeviceFunction;
    }
    work = [kernel, request] {
        const Call inner = begin();
        return error_of(runtime::launch(inner.machine, *kernel, request));
    };
    return cudaSuccess;
}

std::vector<runtime::CapturedSide> sides_of_fill(const cudaMemsetParams& p) {
    return sides_of({address_of(p.dst), p.pitch, 0}, {p.width * p.elementSize, p.height});
}
std::vector<runtime::CapturedSide> sides_of_copy(const void* to, const void* from, size_t bytes) {
    return sides_of({address_of(to), bytes, bytes}, {address_of(from), bytes, bytes}, {bytes});
}

std::function<cudaError_t()> fill_work(const cudaMemsetParams& p) {
    return [p] {
        return fill_now(
            {address_of(p.dst), p.pitch, 0}, p.value, p.elementSize, {p.width * p.elementSize, p.height}
        );
    };
}

cudaError_t refused_fill(const cudaMemsetParams& p) {
    const bool element = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
    if (!element || p.width == 0 || p.height == 0) return cudaErrorInvalidValue;
    return refused_device_side(address_of(p.dst));
}

cudaError_t refused_copy(const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0 || to == nullptr || from == nullptr) return cudaErrorInvalidValue;
    return refused_kind(kind, address_of(to), address_of(from));
}

cudaError_t renew(
    cudaGraphExec_t exec,
    cudaGraphNode_t node,
    std::function<cudaError_t()> work,
    const std::vector<runtime::CapturedSide>& sides = {}
) {
    Node* own = instance_node(exec, node);
    if (own == nullptr || !work) return done(cudaErrorInvalidValue);
    own->work = std::move(work);
    own->captured = runtime::captured(begin_without_looking().machine, sides);
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
    std::function<cudaError_t()> work;
    if (const cudaError_t error = kernel_work(*params, work); error != cudaSuccess) return done(error);
    const cudaError_t error = add(out, graph, behind, count, cudaGraphNodeTypeKernel, std::move(work));
    if (error == cudaSuccess) node_of(*out)->kernel = *params;
    return error;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* out) {
    if (node_of(node)->type != cudaGraphNodeTypeKernel) return done(cudaErrorInvalidValue);
    *out = node_of(node)->kernel;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
    std::function<cudaError_t()> work;
    if (node_of(node)->type != cudaGraphNodeTypeKernel) return done(cudaErrorInvalidValue);
    if (const cudaError_t error = kernel_work(*params, work); error != cudaSuccess) return done(error);
    node_of(node)->work = std::move(work), node_of(node)->kernel = *params;
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* params
) {
    std::function<cudaError_t()> work;
    if (const cudaError_t error = kernel_work(*params, work); error != cudaSuccess) return done(error);
    return renew(exec, node, std::move(work));
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
    if (const cudaError_t error = refused_copy(to, from, bytes, kind); error != cudaSuccess)
        return done(error);
    const auto work = [=] { return cudaMemcpy(to, from, bytes, kind); };
    return add(out, graph, behind, count, cudaGraphNodeTypeMemcpy, work, sides_of_copy(to, from, bytes));
}

cudaError_t cudaGraphAddMemsetNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    const cudaMemsetParams* params
) {
    if (const cudaError_t error = refused_fill(*params); error != cudaSuccess) return done(error);
    return add(
        out, graph, behind, count, cudaGraphNodeTypeMemset, fill_work(*params), sides_of_fill(*params)
    );
}

cudaError_t cudaGraphExecMemsetNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* params
) {
    if (const cudaError_t error = refused_fill(*params); error != cudaSuccess) return done(error);
    return renew(exec, node, fill_work(*params), sides_of_fill(*params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(
    cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from, size_t bytes, cudaMemcpyKind kind
) {
    if (const cudaError_t error = refused_copy(to, from, bytes, kind); error != cudaSuccess)
        return done(error);
    const auto work = [=] { return cudaMemcpy(to, from, bytes, kind); };
    return renew(exec, node, work, sides_of_copy(to, from, bytes));
}

cudaError_t cudaGraphAddHostNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    const cudaHostNodeParams* params
) {
    if (params->fn == nullptr) return done(cudaErrorInvalidValue);
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
    if (params->bytesize == 0) return done(cudaErrorInvalidValue);
    if (const cudaError_t error = cudaMalloc(&params->dptr, params->bytesize); error != cudaSuccess)
        return error;
    return add(out, graph, behind, count, cudaGraphNodeTypeMemAlloc, allocation_work(params->dptr));
}

cudaError_t cudaGraphAddMemFreeNode(
    cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind, size_t count, void* memory
) {
    if (const cudaError_t error = refused_device_side(address_of(memory)); error != cudaSuccess)
        return done(error);
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
    if (child == graph) return done(cudaErrorInvalidValue);
    return add(out, graph, behind, count, cudaGraphNodeTypeGraph, child_work(child));
}
}
