// A stream runs its work when it gets it; so all streams are idle between two calls.
#include "shim/cudart/streams.h"

#include <set>

namespace wl::cudart {
namespace {

std::set<const Stream*>& streams() {
    static auto* const kStreams = new std::set<const Stream*>;
    return *kStreams;
}

}  // namespace

Stream* stream_of(cudaStream_t handle) {
    const bool is_default = handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
    return is_default ? nullptr : reinterpret_cast<Stream*>(handle);
}

bool is_stream(cudaStream_t handle) {
    const Call call = begin_without_looking();
    return stream_of(handle) == nullptr || streams().contains(stream_of(handle));
}

Node* add_node(
    Graph& graph, cudaGraphNodeType type, std::function<cudaError_t()> work, std::vector<Node*> behind
) {
    auto made = std::make_unique<Node>();
    made->type = type, made->work = std::move(work), made->behind = std::move(behind);
    graph.nodes.push_back(std::move(made));
    return graph.nodes.back().get();
}

bool is_captured(cudaStream_t handle) {
    const Stream* stream = stream_of(handle);
    return stream != nullptr && stream->capturing != nullptr;
}

cudaError_t submit(cudaStream_t handle, cudaGraphNodeType type, std::function<cudaError_t()> work) {
    Stream* stream = stream_of(handle);
    if (stream == nullptr || stream->capturing == nullptr) return work();
    std::vector<Node*> behind;
    if (stream->last != nullptr) behind.push_back(stream->last);
    stream->last = add_node(*stream->capturing, type, std::move(work), std::move(behind));
    return cudaSuccess;
}

namespace {

cudaError_t make(cudaStream_t* out, unsigned flags, int priority) {
    static unsigned long long count = 0;
    const Call call = begin_without_looking();
    auto made = std::make_unique<Stream>();
    made->flags = flags, made->priority = priority, made->id = ++count;
    call.machine.has_streams = true;
    streams().insert(made.get());
    *out = reinterpret_cast<cudaStream_t>(made.release());
    return cudaSuccess;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* out) { return make(out, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) { return make(out, flags, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
    return make(out, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    const Call call = begin_without_looking();
    const std::unique_ptr<Stream> gone(stream_of(handle));
    streams().erase(gone.get());
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    const Stream* stream = stream_of(handle);
    if (stream != nullptr && stream->capturing != nullptr) return done(cudaErrorStreamCaptureUnsupported);
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamQuery(cudaStream_t /*handle*/) {
    const Call call = begin_without_looking();
    return done(lasting(call.machine));
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    const Stream* stream = stream_of(handle);
    *flags = stream != nullptr ? stream->flags : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    const Stream* stream = stream_of(handle);
    *priority = stream != nullptr ? stream->priority : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    const Stream* stream = stream_of(handle);
    *id = stream != nullptr ? stream->id : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t /*handle*/, int* device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID, const cudaLaunchAttributeValue*) {
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t handle_of_event, unsigned /*flags*/) {
    Stream* stream = stream_of(handle);
    const EventState& event = *event_of(handle_of_event);
    if (stream == nullptr || event.capturing == nullptr) return cudaSuccess;
    const bool joins = stream->capturing == nullptr;
    std::vector<Node*> behind;
    if (stream->last != nullptr) behind.push_back(stream->last);
    if (event.node != nullptr) behind.push_back(event.node);
    stream->capturing = event.capturing;
    if (joins) stream->forked = true;
    stream->last = add_node(*event.capturing, cudaGraphNodeTypeEmpty, nullptr, std::move(behind));
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return done(submit(stream, cudaGraphNodeTypeHost, [=] {
        function(data);
        return cudaSuccess;
    }));
}

cudaError_t cudaStreamAddCallback(
    cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned /*flags*/
) {
    return done(submit(stream, cudaGraphNodeTypeHost, [=] {
        cudaError_t status = cudaSuccess;
        {
            const Call call = begin_without_looking();
            status = lasting(call.machine);
        }
        callback(stream, status, data);
        return cudaSuccess;
    }));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode /*mode*/) {
    Stream* stream = stream_of(handle);
    if (stream == nullptr) return done(cudaErrorStreamCaptureUnsupported);
    if (stream->capturing != nullptr) return done(cudaErrorIllegalState);
    stream->capturing = new Graph;
    stream->owns = true, stream->last = nullptr;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    Stream* stream = stream_of(handle);
    if (stream == nullptr || !stream->owns) return done(cudaErrorStreamCaptureUnmatched);
    *graph = reinterpret_cast<cudaGraph_t>(stream->capturing);
    stream->capturing = nullptr, stream->last = nullptr, stream->owns = false;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    const Stream* stream = stream_of(handle);
    const bool is = stream != nullptr && stream->capturing != nullptr;
    *status = is ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* /*mode*/) { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0, *greatest = -5;
    return cudaSuccess;
}
}
