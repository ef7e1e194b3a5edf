// A stream runs its work when it gets it; so all streams are idle between two calls.
#include "shim/cudart/streams.h"

#include "instrumentation/runtime/captured.h"

#include <atomic>
#include <map>
#include <string>

namespace wl::cudart {
namespace {

// Those that were made and not destroyed; false: cudaDeviceReset ended it.
std::map<const Stream*, bool>& streams() {
    static auto* const kStreams = new std::map<const Stream*, bool>;
    return *kStreams;
}

constexpr auto kLastAttribute = cudaLaunchAttributeNvlinkUtilCentricScheduling;

bool is_default(cudaStream_t handle) {
    return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

}  // namespace

Stream* stream_of(cudaStream_t handle) {
    return !is_default(handle) && is_stream(handle) ? reinterpret_cast<Stream*>(handle) : nullptr;
}

order::Handle order_of(cudaStream_t handle) {
    constexpr order::Handle kOfThreads = order::Handle{1} << 63;
    if (handle != cudaStreamPerThread) return is_default(handle) ? order::kLegacy : address_of(handle);
    static std::atomic<order::Handle> count = 0;
    thread_local order::Handle own = 0;
    if (own == 0) {
        own = kOfThreads + ++count;
        const Call call = begin_without_looking();
        runtime::add_stream(call.machine, own, order::StreamKind::blocking, "the per-thread default stream");
    }
    return own;
}

bool is_stream(cudaStream_t handle) {
    const Call call = begin_without_looking();
    if (is_default(handle)) return true;
    const auto found = streams().find(reinterpret_cast<const Stream*>(handle));
    return found != streams().end() && found->second;
}

cudaError_t usable(cudaStream_t handle) {
    if (is_stream(handle)) return cudaSuccess;
    const Call call = begin_without_looking();
    const bool ended = streams().contains(reinterpret_cast<const Stream*>(handle));
    return gone(call.machine, "a stream", ended);
}

namespace {

cudaError_t break_captures(cudaError_t error) {
    const Call call = begin_without_looking();
    bool forbidden = false;
    for (const auto& [known, alive] : streams()) {
        if (!alive || known->capturing == nullptr || !known->owns) continue;
        const bool own = known->thread == std::this_thread::get_id();
        const bool forbids = known->mode == cudaStreamCaptureModeGlobal ||
            (known->mode == cudaStreamCaptureModeThreadLocal && own);
        if (forbids) const_cast<Stream*>(known)->broken = forbidden = true;
    }
    return forbidden ? error : cudaSuccess;
}

}  // namespace

cudaError_t unsafe_while_captured() { return break_captures(cudaErrorStreamCaptureUnsupported); }
cudaError_t implicit_while_captured() { return break_captures(cudaErrorStreamCaptureImplicit); }

void end_streams() {
    for (auto& [stream, alive] : streams()) alive = false;
}

void leave_capture(const Graph& graph) {
    const Call call = begin_without_looking();
    for (const auto& [known, alive] : streams()) {
        auto* stream = const_cast<Stream*>(known);
        if (stream->capturing == &graph)
            stream->capturing = nullptr, stream->last = nullptr, stream->owns = stream->broken = false;
    }
    leave_events(graph);
}

bool is_captured(cudaStream_t handle) {
    const Stream* stream = stream_of(handle);
    return stream != nullptr && stream->capturing != nullptr;
}

cudaError_t submit(
    cudaStream_t handle,
    cudaGraphNodeType type,
    std::function<cudaError_t()> work,
    const std::vector<runtime::CapturedSide>& sides
) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return error;
    Stream* stream = stream_of(handle);
    if (stream == nullptr || stream->capturing == nullptr) {
        const runtime::InStream issued(order_of(handle));
        return work();
    }
    std::vector<Node*> behind;
    if (stream->last != nullptr) behind.push_back(stream->last);
    stream->last = add_node(*stream->capturing, type, std::move(work), std::move(behind));
    stream->last->captured = runtime::captured(begin_without_looking().machine, sides);
    return cudaSuccess;
}

namespace {

// It runs when all that comes before it in its stream is over; what it writes is the stream's work.
void before_host_function() {
    const Call call = begin_without_looking();
    const order::OperationPointer operation = runtime::issue(call.machine);
    if (operation != nullptr) runtime::do_held(call.machine, operation->before);
}
void after_host_function() {
    const Call call = begin_without_looking();
    runtime::refresh_watched(call.machine);
}

cudaError_t make(cudaStream_t* out, unsigned flags, int priority) {
    if ((flags & ~unsigned{cudaStreamNonBlocking}) != 0) return done(cudaErrorInvalidValue);
    static unsigned long long count = 0;
    const Call call = begin_without_looking();
    auto made = std::make_unique<Stream>();
    made->flags = flags, made->priority = priority, made->id = ++count;
    call.machine.has_streams = true;
    streams()[made.get()] = true;
    const bool aside = (flags & cudaStreamNonBlocking) != 0;
    runtime::add_stream(
        call.machine,
        address_of(made.get()),
        aside ? order::StreamKind::non_blocking : order::StreamKind::blocking,
        "stream " + std::to_string(count)
    );
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
    if (is_default(handle)) return done(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    const std::unique_ptr<Stream> over(stream_of(handle));
    streams().erase(over.get());
    wl::runtime::remove_stream(call.machine, address_of(handle));
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Stream* stream = stream_of(handle);
    if (stream != nullptr && stream->capturing != nullptr) {
        stream_of(handle)->broken = true;
        return done(cudaErrorStreamCaptureUnsupported);
    }
    const Call call = begin_without_looking();
    wl::runtime::host_waits_for_stream(call.machine, order_of(handle));
    flush_printed(call.machine);
    return done(sticky_error(call.machine));
}

// All work is over, which the program takes for having waited.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    if (!wl::runtime::is_stream_done(call.machine, order_of(handle))) return cudaErrorNotReady;
    wl::runtime::host_waits_for_stream(call.machine, order_of(handle));
    return done(sticky_error(call.machine));
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Stream* stream = stream_of(handle);
    *flags = stream != nullptr ? stream->flags : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Stream* stream = stream_of(handle);
    *priority = stream != nullptr ? stream->priority : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Stream* stream = stream_of(handle);
    *id = stream != nullptr ? stream->id : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(
    cudaStream_t handle, cudaLaunchAttributeID which, const cudaLaunchAttributeValue* /*value*/
) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    if (which <= cudaLaunchAttributeIgnore || which > kLastAttribute) return done(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t handle_of_event, unsigned flags) {
    if (handle_of_event == nullptr) return done(cudaErrorInvalidResourceHandle);
    if (flags > cudaEventWaitExternal) return done(cudaErrorInvalidValue);
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    if (const cudaError_t error = usable(handle_of_event); error != cudaSuccess) return done(error);
    Stream* stream = stream_of(handle);
    const EventState& event = *event_of(handle_of_event);
    if (stream == nullptr || event.capturing == nullptr) {
        const Call call = begin_without_looking();
        wl::runtime::wait_in_stream(call.machine, order_of(handle), address_of(&event));
        return cudaSuccess;
    }
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
    if (function == nullptr) return done(cudaErrorInvalidValue);
    return done(submit(stream, cudaGraphNodeTypeHost, [=] {
        before_host_function();
        function(data);
        after_host_function();
        return cudaSuccess;
    }));
}

cudaError_t cudaStreamAddCallback(
    cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags
) {
    if (callback == nullptr || flags != 0) return done(cudaErrorInvalidValue);
    return done(submit(stream, cudaGraphNodeTypeHost, [=] {
        cudaError_t status = cudaSuccess;
        {
            const Call call = begin_without_looking();
            status = sticky_error(call.machine);
        }
        before_host_function();
        callback(stream, status, data);
        after_host_function();
        return cudaSuccess;
    }));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
}
}
