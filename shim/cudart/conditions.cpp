#include "shim/cudart/conditions.h"

#include <cstring>
#include <fmt/format.h>
#include <map>

namespace wl::cudart {
namespace {

using execution::Allocation;

constexpr uint64_t kBytes = sizeof(uint32_t);

Allocation* word_of(runtime::Machine& machine, const Condition& condition) {
    return execution::find(machine.memory.global, condition.address, kBytes);
}

// Waits for what may set it.
cudaError_t read(const Condition& condition, uint32_t& value) {
    const Call call = begin();
    const Allocation* word = word_of(call.machine, condition);
    if (word == nullptr) return cudaErrorInvalidValue;
    std::memcpy(&value, word->bytes.data(), kBytes);
    if (!word->written.empty() && word->written[0] == 0)
        runtime::tell_note(
            call.machine,
            "a conditional node of a graph reads a condition that has no default, and that no kernel has set "
            "since the "
            "graph was launched; a GPU may find any value there"
        );
    return sticky_error(call.machine);
}

size_t chosen(cudaGraphConditionalNodeType type, uint32_t value) {
    switch (type) {
        case cudaGraphCondTypeIf: return value != 0 ? 0 : 1;
        case cudaGraphCondTypeWhile: return value != 0 ? 0 : SIZE_MAX;
        case cudaGraphCondTypeSwitch: return value;
    }
    return SIZE_MAX;
}

bool is_allowed(const cudaConditionalNodeParams& p) {
    switch (p.type) {
        case cudaGraphCondTypeIf: return p.size == 1 || p.size == 2;
        case cudaGraphCondTypeWhile: return p.size == 1;
        case cudaGraphCondTypeSwitch: return p.size > 0;
    }
    return false;
}

}  // namespace

void begin_conditions(const Graph& graph) {
    for (const auto& condition : graph.conditions) {
        const Call call = begin();
        Allocation* word = word_of(call.machine, *condition);
        if (word == nullptr) continue;
        if (condition->has_default) std::memcpy(word->bytes.data(), &condition->value, kBytes);
        word->written.assign(kBytes, condition->has_default ? 1 : 0);
        runtime::note_change_somewhere(call.machine.memory);
    }
    for (const auto& node : graph.nodes)
        for (const auto& body : node->bodies) begin_conditions(*body);
}

cudaError_t run_conditional(const Node& node, const std::function<cudaError_t(const Graph&)>& run) {
    for (;;) {
        uint32_t value = 0;
        if (const cudaError_t error = read(*node.condition, value); error != cudaSuccess) return error;
        const size_t body = chosen(node.condition_type, value);
        if (body >= node.bodies.size()) return cudaSuccess;
        if (const cudaError_t error = run(*node.bodies[body]); error != cudaSuccess) return error;
        if (node.condition_type != cudaGraphCondTypeWhile) return cudaSuccess;
    }
}

namespace {

// By their handles. A node may stand in a graph of another node, below the one for which its condition was
// made.
std::map<cudaGraphConditionalHandle, std::shared_ptr<const Condition>>& conditions() {
    static auto* const kConditions =
        new std::map<cudaGraphConditionalHandle, std::shared_ptr<const Condition>>;
    return *kConditions;
}

cudaError_t add_conditional(
    cudaGraphNode_t* out,
    Graph& graph,
    const cudaGraphNode_t* behind,
    size_t count,
    cudaConditionalNodeParams& p
) {
    constexpr unsigned kMost = 1 << 16;  // graphs of a switch
    std::vector<Node*> before;
    if (const cudaError_t error = nodes_of(graph, behind, count, before); error != cudaSuccess)
        return done(error);
    const auto condition = conditions().find(p.handle);
    if (condition == conditions().end() || !is_allowed(p) || p.size > kMost)
        return done(cudaErrorInvalidValue);
    Node* node = add_node(graph, cudaGraphNodeTypeConditional, nullptr, std::move(before));
    node->condition = condition->second, node->condition_type = p.type;
    for (unsigned k = 0; k < p.size; ++k) {
        node->bodies.push_back(std::make_shared<Graph>());
        note_graph(*node->bodies.back());
        node->body_handles.push_back(reinterpret_cast<cudaGraph_t>(node->bodies.back().get()));
    }
    p.phGraph_out = node->body_handles.data();
    *out = reinterpret_cast<cudaGraphNode_t>(node);
    return cudaSuccess;
}

cudaError_t add_allocation(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    size_t count,
    cudaMemAllocNodeParamsV2& p
) {
    cudaMemAllocNodeParams params{};
    params.bytesize = p.bytesize;
    const cudaError_t error = cudaGraphAddMemAllocNode(out, graph, behind, count, &params);
    p.dptr = params.dptr;
    return error;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle* out, cudaGraph_t graph, unsigned value, unsigned flags
) {
    if (graph == nullptr || (flags & ~unsigned{cudaGraphCondAssignDefault}) != 0)
        return done(cudaErrorInvalidValue);
    const Call call = begin_without_looking();
    auto& memory = call.machine.memory;
    const uint64_t address = wl::runtime::make(memory, sizeof value, wl::runtime::Region::Kind::variable);
    if (address == 0) return done(cudaErrorMemoryAllocation);
    --memory.made;
    const std::string name = fmt::format("condition {} of a graph", conditions().size() + 1);
    wl::execution::find(memory.global, address, sizeof value)->name = memory.regions[address].name = name;
    auto made = std::make_shared<const Condition>(Condition{
        address, (flags & cudaGraphCondAssignDefault) != 0, value});
    graph_of(graph)->conditions.push_back(made);
    conditions()[address] = std::move(made);
    *out = address;
    return cudaSuccess;
}

cudaError_t cudaGraphAddNode(
    cudaGraphNode_t* out,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    const cudaGraphEdgeData* /*data*/,
    size_t count,
    cudaGraphNodeParams* params
) {
    if (params == nullptr || graph == nullptr) return done(cudaErrorInvalidValue);
    switch (params->type) {
        case cudaGraphNodeTypeKernel: {
            const auto& k = params->kernel;
            const cudaKernelNodeParams p{
                k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra};
            return cudaGraphAddKernelNode(out, graph, behind, count, &p);
        }
        case cudaGraphNodeTypeMemcpy:
            return cudaGraphAddMemcpyNode(out, graph, behind, count, &params->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            const auto& m = params->memset;
            const cudaMemsetParams p{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
            return cudaGraphAddMemsetNode(out, graph, behind, count, &p);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams p{params->host.fn, params->host.userData};
            return cudaGraphAddHostNode(out, graph, behind, count, &p);
        }
        case cudaGraphNodeTypeGraph:
            if (!is_graph(params->graph.graph)) return done(cudaErrorInvalidValue);
            return cudaGraphAddChildGraphNode(out, graph, behind, count, params->graph.graph);
        case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(out, graph, behind, count);
        case cudaGraphNodeTypeMemAlloc: return add_allocation(out, graph, behind, count, params->alloc);
        case cudaGraphNodeTypeMemFree:
            return cudaGraphAddMemFreeNode(out, graph, behind, count, params->free.dptr);
        case cudaGraphNodeTypeConditional:
            return add_conditional(out, *graph_of(graph), behind, count, params->conditional);
        case cudaGraphNodeTypeWaitEvent:
        case cudaGraphNodeTypeEventRecord:
        case cudaGraphNodeTypeExtSemaphoreSignal:
        case cudaGraphNodeTypeExtSemaphoreWait:
            return unsupported("cudaGraphAddNode with a node of an event or a semaphore");
        default: return done(cudaErrorInvalidValue);
    }
}
}
