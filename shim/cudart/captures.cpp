// Streams that are captured: their work becomes nodes of a graph.
#include "instrumentation/runtime/captured.h"
#include "shim/cudart/streams.h"

namespace wl::cudart {
namespace {

// What the stream's next node comes behind is one node.
void set_last(Stream& stream, std::vector<Node*> behind) {
    stream.last = behind.empty() ? nullptr : behind.front();
    if (behind.size() > 1)
        stream.last = add_node(*stream.capturing, cudaGraphNodeTypeEmpty, nullptr, std::move(behind));
}

cudaError_t begin_capture(cudaStream_t handle, Graph* graph, cudaStreamCaptureMode mode) {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        return done(cudaErrorInvalidValue);
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    Stream* stream = stream_of(handle);
    if (stream == nullptr) return done(cudaErrorStreamCaptureUnsupported);
    if (stream->capturing != nullptr) return done(cudaErrorIllegalState);
    stream->capturing = graph != nullptr ? graph : add_graph(std::make_unique<Graph>());
    stream->owns = true, stream->last = nullptr, stream->broken = false;
    stream->mode = mode, stream->thread = std::this_thread::get_id();
    return cudaSuccess;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return begin_capture(handle, nullptr, mode);
}

cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t handle,
    cudaGraph_t graph,
    const cudaGraphNode_t* behind,
    const cudaGraphEdgeData* /*data*/,
    size_t count,
    cudaStreamCaptureMode mode
) {
    std::vector<Node*> nodes;
    if (const cudaError_t error = nodes_of(*graph_of(graph), behind, count, nodes); error != cudaSuccess)
        return done(error);
    const cudaError_t error = begin_capture(handle, graph_of(graph), mode);
    if (error == cudaSuccess) set_last(*stream_of(handle), std::move(nodes));
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    Stream* stream = stream_of(handle);
    if (stream == nullptr || stream->capturing == nullptr) return done(cudaErrorIllegalState);
    if (!stream->owns) return done(cudaErrorStreamCaptureUnmatched);
    const bool broken = stream->broken;
    Graph* made = stream->capturing;
    for (const auto& node : made->nodes)
        wl::runtime::note_capture_end(begin_without_looking().machine, node->captured);
    if (graph != nullptr) *graph = broken ? nullptr : reinterpret_cast<cudaGraph_t>(made);
    leave_capture(*made);
    return broken ? done(cudaErrorStreamCaptureInvalidated) : cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    *status = is_captured(handle) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t handle,
    cudaStreamCaptureStatus* status,
    unsigned long long* id,
    cudaGraph_t* graph,
    const cudaGraphNode_t** behind,
    const cudaGraphEdgeData** data,
    size_t* count
) {
    const cudaError_t error = cudaStreamIsCapturing(handle, status);
    if (error != cudaSuccess || !is_captured(handle)) return error;
    Stream& stream = *stream_of(handle);
    stream.behind.clear();
    if (stream.last != nullptr) stream.behind.push_back(reinterpret_cast<cudaGraphNode_t>(stream.last));
    if (id != nullptr) *id = address_of(stream.capturing);
    if (graph != nullptr) *graph = reinterpret_cast<cudaGraph_t>(stream.capturing);
    if (behind != nullptr) *behind = stream.behind.data();
    if (data != nullptr) *data = nullptr;
    if (count != nullptr) *count = stream.behind.size();
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t handle,
    cudaGraphNode_t* behind,
    const cudaGraphEdgeData* /*data*/,
    size_t count,
    unsigned flags
) {
    if (!is_captured(handle)) return done(cudaErrorIllegalState);
    Stream& stream = *stream_of(handle);
    std::vector<Node*> nodes;
    if (const cudaError_t error = nodes_of(*stream.capturing, behind, count, nodes); error != cudaSuccess)
        return done(error);
    const bool adds = flags != cudaStreamSetCaptureDependencies;
    if (adds && stream.last != nullptr) nodes.push_back(stream.last);
    set_last(stream, std::move(nodes));
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* /*mode*/) { return cudaSuccess; }
}
