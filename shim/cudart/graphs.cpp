// Graphs: nodes in an order in which each comes behind those that it waits for.
#include "shim/cudart/conditions.h"

#include <algorithm>
#include <map>
#include <set>

namespace wl::cudart {
namespace {

struct Instance {
    Graph graph;  // nodes of its own, which may be given other parameters
};
Instance* instance_of(cudaGraphExec_t handle) { return reinterpret_cast<Instance*>(handle); }

// With graphs of its own for the nodes that have some.
Graph copy_of(const Graph& from) {
    Graph out;
    out.conditions = from.conditions;
    std::map<const Node*, Node*> copies;
    for (const auto& node : from.nodes) {
        out.nodes.push_back(std::make_unique<Node>(*node));
        out.nodes.back()->made_from = node.get();
        for (std::shared_ptr<Graph>& body : out.nodes.back()->bodies)
            body = std::make_shared<Graph>(copy_of(*body));
        copies[node.get()] = out.nodes.back().get();
    }
    for (const auto& node : out.nodes)
        for (Node*& before : node->behind) before = copies[before];
    return out;
}

void visit(Node* node, std::set<Node*>& seen, std::vector<Node*>& order) {
    if (!seen.insert(node).second) return;
    for (Node* before : node->behind) visit(before, seen, order);
    order.push_back(node);
}

cudaError_t run(const Graph& graph) {
    std::set<Node*> seen;
    std::vector<Node*> order;
    for (const auto& node : graph.nodes) visit(node.get(), seen, order);
    for (Node* node : order) {
        const bool chooses = node->type == cudaGraphNodeTypeConditional;
        if (!node->enabled || (!node->work && !chooses)) continue;
        const cudaError_t error = chooses ? run_conditional(*node, run) : node->work();
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t* out, cudaGraph_t graph) {
    *out = reinterpret_cast<cudaGraphExec_t>(new Instance{copy_of(*graph_of(graph))});
    return cudaSuccess;
}

// The list that a program asks for in two calls: how many, then which.
cudaError_t give(const std::vector<Node*>& nodes, cudaGraphNode_t* out, size_t* count) {
    if (out != nullptr)
        for (size_t k = 0; k < std::min(*count, nodes.size()); ++k)
            out[k] = reinterpret_cast<cudaGraphNode_t>(nodes[k]);
    *count = nodes.size();
    return cudaSuccess;
}

}  // namespace

Node* instance_node(cudaGraphExec_t exec, cudaGraphNode_t node) {
    for (const auto& own : instance_of(exec)->graph.nodes)
        if (own->made_from == node_of(node)) return own.get();
    return nullptr;
}

std::function<cudaError_t()> child_work(cudaGraph_t child) {
    auto own = std::make_shared<Graph>(copy_of(*graph_of(child)));
    return [own] { return run(*own); };
}

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned /*flags*/) {
    *out = reinterpret_cast<cudaGraph_t>(new Graph);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const std::unique_ptr<Graph> gone(graph_of(graph));
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t graph) {
    *out = reinterpret_cast<cudaGraph_t>(new Graph(copy_of(*graph_of(graph))));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long /*flags*/) {
    return instantiate(out, graph);
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long /*flags*/) {
    return instantiate(out, graph);
}

cudaError_t cudaGraphInstantiateWithParams(
    cudaGraphExec_t* out, cudaGraph_t graph, cudaGraphInstantiateParams* params
) {
    params->result_out = cudaGraphInstantiateSuccess;
    return instantiate(out, graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    const std::unique_ptr<Instance> gone(instance_of(exec));
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    return done(submit(stream, cudaGraphNodeTypeGraph, [exec] {
        const Graph& graph = instance_of(exec)->graph;
        begin_conditions(graph);
        return run(graph);
    }));
}

cudaError_t cudaGraphExecUpdate(
    cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info
) {
    Instance& instance = *instance_of(exec);
    const Graph& from = *graph_of(graph);
    bool same = instance.graph.nodes.size() == from.nodes.size();
    for (size_t k = 0; same && k < from.nodes.size(); ++k)
        same = instance.graph.nodes[k]->type == from.nodes[k]->type;
    if (info != nullptr) {
        *info = {};
        info->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (!same) return done(cudaErrorGraphExecUpdateFailure);
    instance.graph = copy_of(from);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* out, size_t* count) {
    std::vector<Node*> all;
    for (const auto& node : graph_of(graph)->nodes) all.push_back(node.get());
    return give(all, out, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* out, size_t* count) {
    std::vector<Node*> roots;
    for (const auto& node : graph_of(graph)->nodes)
        if (node->behind.empty()) roots.push_back(node.get());
    return give(roots, out, count);
}

cudaError_t cudaGraphGetEdges(
    cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* /*data*/, size_t* count
) {
    std::vector<Node*> begins, ends;
    for (const auto& node : graph_of(graph)->nodes)
        for (Node* before : node->behind) begins.push_back(before), ends.push_back(node.get());
    size_t room = *count;
    give(begins, from, &room);
    return give(ends, to, count);
}

cudaError_t cudaGraphAddDependencies(
    cudaGraph_t /*graph*/,
    const cudaGraphNode_t* from,
    const cudaGraphNode_t* to,
    const cudaGraphEdgeData* /*data*/,
    size_t count
) {
    for (size_t k = 0; k < count; ++k) node_of(to[k])->behind.push_back(node_of(from[k]));
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    *type = node_of(node)->type;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    Node* own = instance_node(exec, node);
    if (own == nullptr) return done(cudaErrorInvalidValue);
    own->enabled = enabled != 0;
    return cudaSuccess;
}
}
