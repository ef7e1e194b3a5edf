// Graphs: nodes in an order in which each comes behind those that it waits for.
#include "instrumentation/runtime/captured.h"
#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/conditions.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

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

std::vector<Node*> in_order(const Graph& graph) {
    std::set<Node*> seen;
    std::vector<Node*> order;
    for (const auto& node : graph.nodes) visit(node.get(), seen, order);
    return order;
}

cudaError_t run(const Graph& graph);

cudaError_t run(Node& node) {
    const bool chooses = node.type == cudaGraphNodeTypeConditional;
    if (!node.enabled || (!node.work && !chooses)) return cudaSuccess;
    if (!node.captured.empty()) runtime::look_at_captured(begin_without_looking().machine, node.captured);
    runtime::issuing().name = node.name, runtime::issuing().caller = node.caller;
    if (chooses) runtime::do_held(begin_without_looking().machine);
    return chooses ? run_conditional(node, [](const Graph& body) { return run(body); }) : node.work();
}

// Inside of one operation.
cudaError_t run(const Graph& graph) {
    for (Node* node : in_order(graph))
        if (const cudaError_t error = run(*node); error != cudaSuccess) return error;
    return cudaSuccess;
}

// Each node is an operation, after those that its edges name.
cudaError_t run_in_stream(const Graph& graph, order::Handle handle) {
    order::GraphLaunch launch;
    order::Timelines* timelines = nullptr;
    {
        const Call call = begin_without_looking();
        timelines = &call.machine.ordering.timelines;
        launch = order::begin_graph(*timelines, handle, runtime::issuing().stream);
    }
    std::map<const Node*, order::OperationPointer> made;
    cudaError_t error = cudaSuccess;
    for (Node* node : in_order(graph)) {
        std::vector<order::OperationPointer> after;
        for (const Node* before : node->behind) after.push_back(made.at(before));
        {
            const Call call = begin_without_looking();
            made[node] =
                std::make_shared<const order::Operation>(order::begin_node(*timelines, launch, after));
        }
        const runtime::InStream issued(*made[node]);
        error = run(*node);
        if (error != cudaSuccess) break;
    }
    const Call call = begin_without_looking();
    order::end_graph(*timelines, launch);
    return error;
}

// Handles that are good.
std::set<const void*>& graphs() {
    static auto* const kGraphs = new std::set<const void*>;
    return *kGraphs;
}
std::unordered_map<const void*, const Graph*>& nodes() {
    static auto* const kNodes = new std::unordered_map<const void*, const Graph*>;
    return *kNodes;
}
std::set<const void*>& instances() {
    static auto* const kInstances = new std::set<const void*>;
    return *kInstances;
}

void forget(const Graph& graph) {
    leave_capture(graph);
    graphs().erase(&graph);
    for (const auto& node : graph.nodes) {
        nodes().erase(node.get());
        for (const auto& body : node->bodies) forget(*body);
    }
}

// Of a node, which owns it.
bool is_body(const Graph& graph) {
    return std::any_of(nodes().begin(), nodes().end(), [&](const auto& known) {
        const auto& bodies = static_cast<const Node*>(known.first)->bodies;
        return std::any_of(bodies.begin(), bodies.end(), [&](const auto& body) {
            return body.get() == &graph;
        });
    });
}

// A node that waits for itself.
bool has_circle(const Graph& graph) {
    std::unordered_map<const Node*, size_t> left;
    std::unordered_map<const Node*, std::vector<const Node*>> next;
    std::vector<const Node*> ready;
    for (const auto& node : graph.nodes) {
        left[node.get()] = node->behind.size();
        if (node->behind.empty()) ready.push_back(node.get());
        for (const Node* before : node->behind) next[before].push_back(node.get());
    }
    size_t done = 0;
    for (; !ready.empty(); ++done) {
        const Node* one = ready.back();
        ready.pop_back();
        for (const Node* behind : next[one])
            if (--left[behind] == 0) ready.push_back(behind);
    }
    return done < graph.nodes.size();
}

constexpr unsigned long long kInstantiateFlags = cudaGraphInstantiateFlagAutoFreeOnLaunch |
    cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
    cudaGraphInstantiateFlagUseNodePriority;

cudaError_t instantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
    const Graph& from = *graph_of(graph);
    if ((flags & ~kInstantiateFlags) != 0 || has_circle(from)) return done(cudaErrorInvalidValue);
    const Call call = begin_without_looking();
    auto made = std::make_unique<Instance>(Instance{copy_of(from)});
    instances().insert(made.get());
    *out = reinterpret_cast<cudaGraphExec_t>(made.release());
    return cudaSuccess;
}

// The list that a program asks for in two calls: how many, then which.
cudaError_t give(const std::vector<Node*>& nodes, cudaGraphNode_t* out, size_t* count) {
    const size_t room = std::min(*count, nodes.size());
    if (out != nullptr && room > 0 && !runtime::write_host(out, nodes.data(), room * sizeof *out))
        return done(cudaErrorInvalidValue);
    *count = nodes.size();
    return cudaSuccess;
}

}  // namespace

bool is_graph(const void* handle) {
    const Call call = begin_without_looking();
    return graphs().contains(handle);
}
bool is_node(const void* handle) {
    const Call call = begin_without_looking();
    return nodes().contains(handle);
}
bool is_instance(const void* handle) {
    const Call call = begin_without_looking();
    return instances().contains(handle);
}

void note_graph(Graph& graph) {
    const Call call = begin_without_looking();
    graphs().insert(&graph);
    for (const auto& node : graph.nodes) {
        nodes()[node.get()] = &graph;
        for (const auto& body : node->bodies) note_graph(*body);
    }
}

Graph* add_graph(std::unique_ptr<Graph> graph) {
    note_graph(*graph);
    return graph.release();
}

Node* add_node(
    Graph& graph, cudaGraphNodeType type, std::function<cudaError_t()> work, std::vector<Node*> behind
) {
    const Call call = begin_without_looking();
    auto made = std::make_unique<Node>();
    made->type = type, made->work = std::move(work), made->behind = std::move(behind);
    made->name = runtime::issuing().name, made->caller = runtime::issuing().caller;
    graph.nodes.push_back(std::move(made));
    nodes()[graph.nodes.back().get()] = &graph;
    return graph.nodes.back().get();
}

cudaError_t nodes_of(
    const Graph& graph, const cudaGraphNode_t* handles, size_t count, std::vector<Node*>& out
) {
    const Call call = begin_without_looking();
    out.clear();
    if (count > graph.nodes.size()) return cudaErrorInvalidValue;
    out.resize(count);
    if (!runtime::read_host(out.data(), handles, count * sizeof *handles)) return cudaErrorInvalidValue;
    std::set<const Node*> seen;
    for (const Node* node : out) {
        const auto known = nodes().find(node);
        if (known == nodes().end() || known->second != &graph || !seen.insert(node).second)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

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

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned flags) {
    if (flags != 0) return done(cudaErrorInvalidValue);
    *out = reinterpret_cast<cudaGraph_t>(add_graph(std::make_unique<Graph>()));
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const Call call = begin_without_looking();
    if (is_body(*graph_of(graph))) return done(cudaErrorInvalidValue);  // it goes with its node
    forget(*graph_of(graph));
    const std::unique_ptr<Graph> gone(graph_of(graph));
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t graph) {
    *out = reinterpret_cast<cudaGraph_t>(add_graph(std::make_unique<Graph>(copy_of(*graph_of(graph)))));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(
    cudaGraphExec_t* out, cudaGraph_t graph, cudaGraphInstantiateParams* params
) {
    const cudaError_t error = instantiate(out, graph, params->flags);
    params->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    const Call call = begin_without_looking();
    instances().erase(exec);
    const std::unique_ptr<Instance> gone(instance_of(exec));
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    return done(submit(stream, cudaGraphNodeTypeGraph, [exec] {
        if (!is_instance(exec)) return cudaErrorInvalidValue;
        const Graph& graph = instance_of(exec)->graph;
        begin_conditions(graph);
        return run_in_stream(graph, address_of(exec));
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
    cudaGraph_t graph,
    const cudaGraphNode_t* from,
    const cudaGraphNode_t* to,
    const cudaGraphEdgeData* /*data*/,
    size_t count
) {
    for (size_t k = 0; k < count; ++k) {
        std::vector<Node*> before, after;
        for (const cudaError_t error :
             {nodes_of(*graph_of(graph), from + k, 1, before), nodes_of(*graph_of(graph), to + k, 1, after)})
            if (error != cudaSuccess) return done(error);
        std::vector<Node*>& behind = after[0]->behind;
        if (before == after || std::find(behind.begin(), behind.end(), before[0]) != behind.end())
            return done(cudaErrorInvalidValue);
        behind.push_back(before[0]);
    }
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
