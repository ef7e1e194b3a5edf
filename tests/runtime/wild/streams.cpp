// Streams, events, captures.
#include "table.h"

namespace wild {
namespace {

cudaStream_t made = nullptr;
cudaEvent_t mark = nullptr;
cudaGraph_t got = nullptr;
unsigned flags = 0;
int number = 0;
float time = 0;
void nothing(void*) {}

CALL("cudaStreamCreate null", cudaStreamCreate(nullptr))
CALL("cudaStreamCreate wild", cudaStreamCreate(nowhere<cudaStream_t*>()))
CALL("cudaStreamCreateWithFlags flags", cudaStreamCreateWithFlags(&made, 0x40))
CALL("cudaStreamCreateWithFlags null", cudaStreamCreateWithFlags(nullptr, 0))
CALL("cudaStreamCreateWithPriority far", cudaStreamCreateWithPriority(&made, 0, 1000))
CALL("cudaStreamCreateWithPriority flags", cudaStreamCreateWithPriority(&made, 0x40, 0))
CALL("cudaStreamDestroy null", cudaStreamDestroy(nullptr))
CALL("cudaStreamDestroy the default", cudaStreamDestroy(cudaStreamLegacy))
CALL("cudaStreamDestroy the thread's", cudaStreamDestroy(cudaStreamPerThread))
CALL("cudaStreamDestroy wild", cudaStreamDestroy(nowhere<cudaStream_t>()))
CALL("cudaStreamDestroy twice", cudaStreamDestroy(destroyed_stream()))
CALL("cudaStreamDestroy of malloc", cudaStreamDestroy(static_cast<cudaStream_t>(host_memory())))
CALL("cudaStreamSynchronize null", cudaStreamSynchronize(nullptr))
CALL("cudaStreamSynchronize wild", cudaStreamSynchronize(nowhere<cudaStream_t>()))
CALL("cudaStreamSynchronize of malloc", cudaStreamSynchronize(static_cast<cudaStream_t>(host_memory())))
CALL("cudaStreamSynchronize destroyed", cudaStreamSynchronize(destroyed_stream()))
CALL("cudaStreamQuery destroyed", cudaStreamQuery(destroyed_stream()))
CALL("cudaStreamQuery null", cudaStreamQuery(nullptr))
CALL("cudaStreamWaitEvent null event", cudaStreamWaitEvent(stream(), nullptr, 0))
CALL("cudaStreamWaitEvent wild event", cudaStreamWaitEvent(stream(), nowhere<cudaEvent_t>(), 0))
CALL("cudaStreamWaitEvent destroyed event", cudaStreamWaitEvent(stream(), destroyed_event(), 0))
CALL("cudaStreamWaitEvent destroyed stream", cudaStreamWaitEvent(destroyed_stream(), event(), 0))
CALL("cudaStreamWaitEvent flags", cudaStreamWaitEvent(stream(), event(), 9))
CALL("cudaStreamWaitEvent never recorded", cudaStreamWaitEvent(stream(), event(), 0))
CALL("cudaStreamGetFlags null", cudaStreamGetFlags(stream(), nullptr))
CALL("cudaStreamGetFlags of null", cudaStreamGetFlags(nullptr, &flags))
CALL("cudaStreamGetFlags destroyed", cudaStreamGetFlags(destroyed_stream(), &flags))
CALL("cudaStreamGetPriority null", cudaStreamGetPriority(stream(), nullptr))
CALL("cudaStreamGetId null", cudaStreamGetId(stream(), nullptr))
CALL("cudaStreamGetDevice null", cudaStreamGetDevice(stream(), nullptr))
CALL("cudaStreamGetDevice destroyed", cudaStreamGetDevice(destroyed_stream(), &number))
CALL("cudaLaunchHostFunc null", cudaLaunchHostFunc(stream(), nullptr, nullptr))
CALL("cudaLaunchHostFunc destroyed stream", cudaLaunchHostFunc(destroyed_stream(), nothing, nullptr))
CALL("cudaStreamAddCallback null", cudaStreamAddCallback(stream(), nullptr, nullptr, 0))
CALL(
    "cudaStreamAddCallback flags",
    cudaStreamAddCallback(
        stream(), [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1
    )
)
CALL("cudaStreamSetAttribute null", cudaStreamSetAttribute(stream(), cudaLaunchAttributePriority, nullptr))
ROW("cudaStreamSetAttribute word", const cudaLaunchAttributeValue v{};
    say(cudaStreamSetAttribute(stream(), static_cast<cudaLaunchAttributeID>(77), &v)))
CALL("cudaStreamBeginCapture of null", cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal))
CALL(
    "cudaStreamBeginCapture the default",
    cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal)
)
CALL(
    "cudaStreamBeginCapture destroyed",
    cudaStreamBeginCapture(destroyed_stream(), cudaStreamCaptureModeGlobal)
)
CALL("cudaStreamBeginCapture mode", cudaStreamBeginCapture(stream(), static_cast<cudaStreamCaptureMode>(9)))
ROW("cudaStreamBeginCapture twice", cudaStream_t s = stream();
    say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    say(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)))
ROW("cudaStreamSynchronize captured", cudaStream_t s = stream();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    say(cudaStreamSynchronize(s));
    say(cudaStreamEndCapture(s, &got)))
ROW("cudaStreamDestroy captured", cudaStream_t s = stream();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    say(cudaStreamDestroy(s)))
ROW("cudaMemcpy while captured", cudaStream_t s = stream(); void* d = device_memory();
    void* h = host_memory();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    say(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice));
    say(cudaStreamEndCapture(s, &got)))
ROW("cudaMalloc while captured", cudaStream_t s = stream(); void* d = nullptr;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    say(cudaMalloc(&d, 64));
    say(cudaStreamEndCapture(s, &got)))
ROW("cudaDeviceSynchronize while captured", cudaStream_t s = stream();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    say(cudaDeviceSynchronize());
    say(cudaStreamEndCapture(s, &got)))
CALL("cudaStreamEndCapture of none", cudaStreamEndCapture(stream(), &got))
CALL("cudaStreamEndCapture of null", cudaStreamEndCapture(nullptr, &got))
ROW("cudaStreamEndCapture null", cudaStream_t s = stream();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    say(cudaStreamEndCapture(s, nullptr)))
CALL("cudaStreamIsCapturing null", cudaStreamIsCapturing(stream(), nullptr))
ROW("cudaStreamIsCapturing destroyed", cudaStreamCaptureStatus s;
    say(cudaStreamIsCapturing(destroyed_stream(), &s)))
CALL(
    "cudaStreamGetCaptureInfo null",
    cudaStreamGetCaptureInfo(stream(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)
)
CALL(
    "cudaStreamUpdateCaptureDependencies of none",
    cudaStreamUpdateCaptureDependencies(stream(), nullptr, nullptr, 0, cudaStreamSetCaptureDependencies)
)
ROW("cudaStreamUpdateCaptureDependencies null", cudaStream_t s = stream();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    say(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 3, cudaStreamSetCaptureDependencies)))
CALL(
    "cudaStreamBeginCaptureToGraph null",
    cudaStreamBeginCaptureToGraph(stream(), nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal)
)
CALL(
    "cudaStreamBeginCaptureToGraph wild",
    cudaStreamBeginCaptureToGraph(
        stream(), nowhere<cudaGraph_t>(), nullptr, nullptr, 0, cudaStreamCaptureModeGlobal
    )
)
CALL("cudaThreadExchangeStreamCaptureMode null", cudaThreadExchangeStreamCaptureMode(nullptr))
ROW("cudaThreadExchangeStreamCaptureMode word", auto m = static_cast<cudaStreamCaptureMode>(9);
    say(cudaThreadExchangeStreamCaptureMode(&m)))

CALL("cudaEventCreate null", cudaEventCreate(nullptr))
CALL("cudaEventCreate wild", cudaEventCreate(nowhere<cudaEvent_t*>()))
CALL("cudaEventCreateWithFlags flags", cudaEventCreateWithFlags(&mark, 0x80))
CALL("cudaEventCreateWithFlags shared and timed", cudaEventCreateWithFlags(&mark, cudaEventInterprocess))
CALL("cudaEventDestroy null", cudaEventDestroy(nullptr))
CALL("cudaEventDestroy wild", cudaEventDestroy(nowhere<cudaEvent_t>()))
CALL("cudaEventDestroy of malloc", cudaEventDestroy(static_cast<cudaEvent_t>(host_memory())))
CALL("cudaEventDestroy twice", cudaEventDestroy(destroyed_event()))
CALL("cudaEventRecord null", cudaEventRecord(nullptr, nullptr))
CALL("cudaEventRecord wild", cudaEventRecord(nowhere<cudaEvent_t>(), nullptr))
CALL("cudaEventRecord destroyed", cudaEventRecord(destroyed_event(), nullptr))
CALL("cudaEventRecord destroyed stream", cudaEventRecord(event(), destroyed_stream()))
CALL("cudaEventRecord wild stream", cudaEventRecord(event(), nowhere<cudaStream_t>()))
CALL("cudaEventRecordWithFlags flags", cudaEventRecordWithFlags(event(), nullptr, 9))
CALL(
    "cudaEventRecordWithFlags external", cudaEventRecordWithFlags(event(), stream(), cudaEventRecordExternal)
)
CALL("cudaEventSynchronize null", cudaEventSynchronize(nullptr))
CALL("cudaEventSynchronize never recorded", cudaEventSynchronize(event()))
CALL("cudaEventSynchronize destroyed", cudaEventSynchronize(destroyed_event()))
CALL("cudaEventQuery null", cudaEventQuery(nullptr))
CALL("cudaEventQuery never recorded", cudaEventQuery(event()))
CALL("cudaEventQuery destroyed", cudaEventQuery(destroyed_event()))
ROW("cudaEventElapsedTime null", cudaEvent_t e = event(); cudaEventRecord(e);
    say(cudaEventElapsedTime(nullptr, e, e)))
CALL("cudaEventElapsedTime null events", cudaEventElapsedTime(&time, nullptr, nullptr))
CALL("cudaEventElapsedTime never recorded", cudaEventElapsedTime(&time, event(), event()))
CALL("cudaEventElapsedTime destroyed", cudaEventElapsedTime(&time, destroyed_event(), event()))
ROW("cudaEventElapsedTime without times", cudaEventCreateWithFlags(&mark, cudaEventDisableTiming);
    cudaEventRecord(mark);
    cudaEventSynchronize(mark);
    say(cudaEventElapsedTime(&time, mark, mark)))
ROW("cudaIpcGetEventHandle of a plain event", cudaIpcEventHandle_t h; say(cudaIpcGetEventHandle(&h, event())))
ROW("cudaIpcGetEventHandle of null", cudaIpcEventHandle_t h; say(cudaIpcGetEventHandle(&h, nullptr)))

// What is left of them when the device was reset.
ROW("reset, then a stream", cudaStream_t s = stream(); say(cudaDeviceReset()); say(cudaStreamSynchronize(s)))
ROW("reset, then its destroy", cudaStream_t s = stream(); cudaDeviceReset(); say(cudaStreamDestroy(s)))
ROW("reset, then work in a stream", cudaStream_t s = stream(); cudaDeviceReset();
    say(cudaMemsetAsync(device_memory(), 0, 64, s)))
ROW("reset, then an event", cudaEvent_t e = event(); cudaDeviceReset(); say(cudaEventRecord(e));
    say(cudaEventQuery(e)))
ROW("reset, then its event's destroy", cudaEvent_t e = event(); cudaDeviceReset(); say(cudaEventDestroy(e)))
ROW("reset, then a free", void* p = device_memory(); cudaDeviceReset(); say(cudaFree(p)))
ROW("reset, then a copy", void* p = device_memory(); cudaDeviceReset();
    say(cudaMemcpy(p, host_memory(), 64, cudaMemcpyHostToDevice)))
ROW("reset, then a pinned free", void* p = pinned_memory(); cudaDeviceReset(); say(cudaFreeHost(p)))
ROW("reset, then an unregister", void* p = host_memory(); cudaHostRegister(p, kBytes, 0); cudaDeviceReset();
    say(cudaHostUnregister(p)))
ROW("reset, then an array", cudaArray_t a = array(); cudaDeviceReset(); say(cudaFreeArray(a)))
ROW("reset, then a copy into an array", cudaArray_t a = array(); cudaDeviceReset();
    say(cudaMemcpy2DToArray(a, 0, 0, host_memory(), 64, 64, 4, cudaMemcpyHostToDevice)))
ROW("reset, then a texture", cudaTextureObject_t t = texture(); cudaDeviceReset();
    say(cudaDestroyTextureObject(t)))
ROW("reset, then a graph", cudaGraph_t g = graph(); cudaDeviceReset(); say(cudaGraphDestroy(g)))
ROW("reset, then a launch of a graph", cudaGraphExec_t g = instance(); cudaDeviceReset();
    say(cudaGraphLaunch(g, nullptr)))
ROW("reset, then an instance's destroy", cudaGraphExec_t g = instance(); cudaDeviceReset();
    say(cudaGraphExecDestroy(g)))
ROW("reset, then a pool", cudaMemPool_t p = pool(); cudaDeviceReset(); void* m;
    say(cudaMallocFromPoolAsync(&m, 64, p, nullptr)))
ROW("reset, then a pool's destroy", cudaMemPool_t p = pool(); cudaDeviceReset(); say(cudaMemPoolDestroy(p)))
ROW("reset, then a symbol", device_memory(); cudaDeviceReset();
    say(cudaMemcpyToSymbol(variable(), host_memory(), 4, 0, cudaMemcpyHostToDevice)))
ROW("reset, then a launch", device_memory(); cudaDeviceReset();
    say(cudaLaunchKernel(plain_kernel(), {1}, {1}, nullptr, 0, nullptr));
    say(cudaDeviceSynchronize()))
ROW("reset twice", say(cudaDeviceReset()); say(cudaDeviceReset()); say(cudaGetLastError()))

}  // namespace
}  // namespace wild
