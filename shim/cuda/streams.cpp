// Streams, events and graphs: handles are the runtime's own.
#include "shim/cudart/streams.h"

#include "shim/cuda/state.h"

#include <fmt/format.h>

namespace wl::cuda {
namespace {

CUresult no_such(const char* function, const char* what) {
    return refuse(
        CUDA_ERROR_INVALID_HANDLE,
        fmt::format("{} was given {} that is not there, or that the program had destroyed", function, what)
    );
}

bool is_there(CUstream stream) { return cudart::is_stream(stream); }
bool is_there(CUevent event) { return cudart::is_event(event); }

// The runtime's function, on a stream that is there.
template <class Work>
CUresult on_stream(const char* function, CUstream stream, Work work) {
    if (!is_there(stream)) return no_such(function, "a stream");
    return in_context(work);
}

template <class Work>
CUresult on_event(const char* function, CUevent event, Work work) {
    if (!is_there(event)) return no_such(function, "an event");
    return in_context(work);
}

}  // namespace
}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
    return in_context([&] { return cudaStreamCreateWithFlags(out, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    return in_context([&] { return cudaStreamCreateWithPriority(out, flags, priority); });
}
CUresult cuStreamDestroy(CUstream s) {
    if (s == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return on_stream("cuStreamDestroy", s, [&] { return cudaStreamDestroy(s); });
}
CUresult cuStreamSynchronize(CUstream s) {
    return on_stream("cuStreamSynchronize", s, [&] { return cudaStreamSynchronize(s); });
}
CUresult cuStreamQuery(CUstream s) {
    return on_stream("cuStreamQuery", s, [&] { return cudaStreamQuery(s); });
}
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) {
    if (!is_there(e)) return no_such("cuStreamWaitEvent", "an event");
    return on_stream("cuStreamWaitEvent", s, [&] { return cudaStreamWaitEvent(s, e, flags); });
}
CUresult cuStreamGetFlags(CUstream s, unsigned* flags) {
    return on_stream("cuStreamGetFlags", s, [&] { return cudaStreamGetFlags(s, flags); });
}
CUresult cuStreamGetPriority(CUstream s, int* priority) {
    return on_stream("cuStreamGetPriority", s, [&] { return cudaStreamGetPriority(s, priority); });
}
CUresult cuStreamGetId(CUstream s, unsigned long long* id) {
    return on_stream("cuStreamGetId", s, [&] { return cudaStreamGetId(s, id); });
}
CUresult cuStreamGetDevice(CUstream s, CUdevice* device) {
    return on_stream("cuStreamGetDevice", s, [&] { return cudaStreamGetDevice(s, device); });
}
CUresult cuStreamGetCtx(CUstream s, CUcontext* out) {
    return on_stream("cuStreamGetCtx", s, [&] {
        *out = handle_of(current_context());
        return cudaSuccess;
    });
}
CUresult cuStreamGetCtx_v2(CUstream s, CUcontext* out, CUgreenCtx* green) {
    if (green != nullptr) *green = nullptr;
    return cuStreamGetCtx(s, out);
}
CUresult cuStreamSetAttribute(CUstream, CUstreamAttrID, const CUstreamAttrValue*) { return CUDA_SUCCESS; }
CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void* data, unsigned flags) {
    return on_stream("cuStreamAddCallback", s, [&] {
        return cudaStreamAddCallback(s, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags);
    });
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void* data) {
    return on_stream("cuLaunchHostFunc", s, [&] { return cudaLaunchHostFunc(s, function, data); });
}

CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode) {
    return on_stream("cuStreamBeginCapture", s, [&] {
        return cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(mode));
    });
}
CUresult cuStreamEndCapture(CUstream s, CUgraph* graph) {
    return on_stream("cuStreamEndCapture", s, [&] { return cudaStreamEndCapture(s, graph); });
}
CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus* status) {
    return on_stream("cuStreamIsCapturing", s, [&] {
        cudaStreamCaptureStatus is = cudaStreamCaptureStatusNone;
        const cudaError_t error = cudaStreamIsCapturing(s, &is);
        *status = static_cast<CUstreamCaptureStatus>(is);
        return error;
    });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) { return CUDA_SUCCESS; }

CUresult cuEventCreate(CUevent* out, unsigned flags) {
    return in_context([&] { return cudaEventCreateWithFlags(out, flags); });
}
CUresult cuEventDestroy(CUevent e) {
    return on_event("cuEventDestroy", e, [&] { return cudaEventDestroy(e); });
}
CUresult cuEventRecord(CUevent e, CUstream s) {
    if (!is_there(s)) return no_such("cuEventRecord", "a stream");
    return on_event("cuEventRecord", e, [&] { return cudaEventRecord(e, s); });
}
CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned) { return cuEventRecord(e, s); }
CUresult cuEventQuery(CUevent e) {
    return on_event("cuEventQuery", e, [&] { return cudaEventQuery(e); });
}
CUresult cuEventSynchronize(CUevent e) {
    return on_event("cuEventSynchronize", e, [&] { return cudaEventSynchronize(e); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
    if (!is_there(from)) return no_such("cuEventElapsedTime", "an event");
    return on_event("cuEventElapsedTime", to, [&] { return cudaEventElapsedTime(milliseconds, from, to); });
}
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to);
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
    return cuEventElapsedTime_v2(milliseconds, from, to);
}

CUresult cuGraphCreate(CUgraph* out, unsigned flags) {
    return in_context([&] { return cudaGraphCreate(out, flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
    return in_context([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
    return in_context([&] { return cudaGraphInstantiateWithFlags(out, graph, flags); });
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
    return in_context([&] { return cudaGraphExecDestroy(exec); });
}
CUresult cuGraphUpload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult cuGraphLaunch(CUgraphExec exec, CUstream s) {
    return on_stream("cuGraphLaunch", s, [&] { return cudaGraphLaunch(exec, s); });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* out, size_t* count) {
    return in_context([&] { return cudaGraphGetNodes(graph, out, count); });
}
}
