// Streams and the graphs that they are captured into.
#pragma once

#include "shim/cudart/state.h"

#include <thread>
#include <vector>

namespace wl::cudart {

struct Condition;
struct Graph;

struct Node {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<cudaError_t()> work;
    std::vector<Node*> behind;  // that it waits for
    // The call that made it.
    const char* name = "";
    const void* caller = nullptr;
    bool enabled = true;
    runtime::Captured captured;  // the memory that it names
    // What a program may ask for again.
    cudaKernelNodeParams kernel{};
    const Node* made_from = nullptr;  // of an instance: the node of the graph
    // Of a conditional node: what it asks, and the graphs among which that chooses, with their handles.
    std::shared_ptr<const Condition> condition;
    cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
    std::vector<std::shared_ptr<Graph>> bodies;
    std::vector<cudaGraph_t> body_handles;
};

// In the order in which nodes were added.
struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
    std::vector<std::shared_ptr<const Condition>> conditions;  // that were made for it
};

struct Stream {
    unsigned flags = 0;
    int priority = 0;
    unsigned long long id = 0;
    Graph* capturing = nullptr;
    Node* last = nullptr;  // of the capture
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    std::thread::id thread;               // that began it
    bool broken = false;                  // by a call that no captured stream allows: its end gives no graph
    bool forked = false;                  // it joined another stream's capture by an event
    bool owns = false;                    // EndCapture gives the graph
    std::vector<cudaGraphNode_t> behind;  // the answer of cudaStreamGetCaptureInfo
};
// Calls that a capture forbids, in its mode and thread, break it: those that could wait for work that only
// becomes a graph, and those of the default stream, which waits for all others. cudaSuccess: nothing forbids
// it.
cudaError_t unsafe_while_captured();
cudaError_t implicit_while_captured();

// Handles of graphs, of their nodes and of instances that are there.
bool is_graph(const void* handle);
bool is_node(const void* handle);
bool is_instance(const void* handle);
// From here on its handle, and those of its nodes, are good.
Graph* add_graph(std::unique_ptr<Graph> graph);
void note_graph(Graph& graph);  // of one that another owns
// No stream and no event has a part in this capture any more.
void leave_capture(const Graph& graph);
void leave_events(const Graph& graph);

// What a node that allocates does when its graph is launched.
std::function<cudaError_t()> allocation_work(void* memory);
// Of a handle; nullptr for the default streams, and for what is no stream any more.
Stream* stream_of(cudaStream_t handle);
// Its name among the timelines of operations.
order::Handle order_of(cudaStream_t handle);
// A default stream, or one that was made and not destroyed.
bool is_stream(cudaStream_t handle);
// cudaSuccess for those; else the error, which a note explains.
cudaError_t usable(cudaStream_t handle);
cudaError_t usable(cudaEvent_t handle);
// As cudaDeviceReset leaves them.
void end_streams();
void end_events();

struct EventState {
    unsigned flags = 0;
    bool recorded = false;
    double seconds = 0;  // of a clock of the host
    Graph* capturing = nullptr;
    Node* node = nullptr;
};

Node* add_node(
    Graph& graph, cudaGraphNodeType type, std::function<cudaError_t()> work, std::vector<Node*> behind
);
// Of an instance the node that was made from the graph's; nullptr: none.
Node* instance_node(cudaGraphExec_t exec, cudaGraphNode_t node);
// What a node does that holds a graph of its own.
std::function<cudaError_t()> child_work(cudaGraph_t child);
// The nodes of a graph that a new one waits for; cudaErrorInvalidValue: they are not there, not all its own,
// or one is named twice.
cudaError_t nodes_of(
    const Graph& graph, const cudaGraphNode_t* handles, size_t count, std::vector<Node*>& out
);
// Memory of a graph: `used` by a launch, or given back.
void note_graph_memory(uint64_t base, bool used);
inline Graph* graph_of(cudaGraph_t handle) { return reinterpret_cast<Graph*>(handle); }
inline Node* node_of(cudaGraphNode_t handle) { return reinterpret_cast<Node*>(handle); }
inline EventState* event_of(cudaEvent_t handle) { return reinterpret_cast<EventState*>(handle); }
bool is_event(cudaEvent_t handle);
void record_now(EventState& event);

}  // namespace wl::cudart
