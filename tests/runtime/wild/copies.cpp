// Copies and fills.
#include "table.h"

namespace wild {
namespace {

constexpr auto kTo = cudaMemcpyHostToDevice, kFrom = cudaMemcpyDeviceToHost, kOn = cudaMemcpyDeviceToDevice,
               kHost = cudaMemcpyHostToHost, kAny = cudaMemcpyDefault;
char* at(void* pointer, size_t bytes) { return static_cast<char*>(pointer) + bytes; }

CALL("cudaMemcpy to null", cudaMemcpy(nullptr, host_memory(), 64, kTo))
CALL("cudaMemcpy from null", cudaMemcpy(device_memory(), nullptr, 64, kTo))
CALL("cudaMemcpy nulls, nothing", cudaMemcpy(nullptr, nullptr, 0, kTo))
CALL("cudaMemcpy wild, nothing", cudaMemcpy(nowhere(), nowhere(), 0, kTo))
CALL("cudaMemcpy from a wild host pointer", cudaMemcpy(device_memory(), nowhere(), 64, kTo))
CALL("cudaMemcpy to a wild host pointer", cudaMemcpy(nowhere(), device_memory(), 64, kFrom))
CALL("cudaMemcpy from a wild device pointer", cudaMemcpy(host_memory(), nowhere(), 64, kFrom))
CALL("cudaMemcpy to a wild device pointer", cudaMemcpy(nowhere(), host_memory(), 64, kTo))
CALL("cudaMemcpy wild by default", cudaMemcpy(nowhere(), device_memory(), 64, kAny))
CALL("cudaMemcpy wild from host to host", cudaMemcpy(nowhere(), host_memory(), 64, kHost))
CALL("cudaMemcpy kind 7", cudaMemcpy(device_memory(), host_memory(), 64, static_cast<cudaMemcpyKind>(7)))
CALL("cudaMemcpy kind -1", cudaMemcpy(device_memory(), host_memory(), 64, static_cast<cudaMemcpyKind>(-1)))
CALL(
    "cudaMemcpy kind 7, nothing",
    cudaMemcpy(device_memory(), host_memory(), 0, static_cast<cudaMemcpyKind>(7))
)
CALL("cudaMemcpy to the device: from device memory", cudaMemcpy(device_memory(), device_memory(), 64, kTo))
CALL("cudaMemcpy to the device: into malloc", cudaMemcpy(host_memory(), host_memory(), 64, kTo))
CALL("cudaMemcpy to the device: the wrong way", cudaMemcpy(host_memory(), device_memory(), 64, kTo))
CALL("cudaMemcpy to the device: into pinned memory", cudaMemcpy(pinned_memory(), host_memory(), 64, kTo))
CALL("cudaMemcpy to the device: from managed memory", cudaMemcpy(device_memory(), managed_memory(), 64, kTo))
CALL("cudaMemcpy from the device: from malloc", cudaMemcpy(host_memory(), host_memory(), 64, kFrom))
CALL(
    "cudaMemcpy from the device: into device memory", cudaMemcpy(device_memory(), device_memory(), 64, kFrom)
)
CALL("cudaMemcpy from the device: the wrong way", cudaMemcpy(device_memory(), host_memory(), 64, kFrom))
CALL("cudaMemcpy from the device: from pinned memory", cudaMemcpy(host_memory(), pinned_memory(), 64, kFrom))
CALL("cudaMemcpy on the device: from malloc", cudaMemcpy(device_memory(), host_memory(), 64, kOn))
CALL("cudaMemcpy on the device: into malloc", cudaMemcpy(host_memory(), device_memory(), 64, kOn))
CALL("cudaMemcpy on the device: malloc both", cudaMemcpy(host_memory(), host_memory(), 64, kOn))
CALL("cudaMemcpy on the device: from pinned memory", cudaMemcpy(device_memory(), pinned_memory(), 64, kOn))
CALL("cudaMemcpy on the host: from device memory", cudaMemcpy(host_memory(), device_memory(), 64, kHost))
CALL("cudaMemcpy on the host: into device memory", cudaMemcpy(device_memory(), host_memory(), 64, kHost))
CALL("cudaMemcpy over the end of its target", cudaMemcpy(device_memory(), host_memory(), kBytes + 4, kTo))
CALL("cudaMemcpy far over the end of its target", cudaMemcpy(device_memory(), host_memory(), 1 << 30, kTo))
CALL("cudaMemcpy over the end of its source", cudaMemcpy(device_memory(), device_memory(), 1 << 30, kOn))
CALL("cudaMemcpy all bytes", cudaMemcpy(device_memory(), host_memory(), kHuge, kTo))
CALL("cudaMemcpy to freed memory", cudaMemcpy(freed_memory(), host_memory(), 64, kTo))
CALL("cudaMemcpy from freed memory", cudaMemcpy(host_memory(), freed_memory(), 64, kFrom))
CALL("cudaMemcpy from a page that ends", cudaMemcpy(device_memory(), last_bytes(), 64, kTo))
CALL("cudaMemcpy into a page that ends", cudaMemcpy(last_bytes(), device_memory(), 64, kFrom))
CALL("cudaMemcpy into read-only memory", cudaMemcpy(read_only_memory(), device_memory(), 64, kFrom))
CALL("cudaMemcpy from read-only memory", cudaMemcpy(device_memory(), read_only_memory(), 64, kTo))
ROW("cudaMemcpy over itself", void* p = device_memory(); say(cudaMemcpy(at(p, 16), p, 64, kOn)))
CALL("cudaMemcpyAsync to null", cudaMemcpyAsync(nullptr, host_memory(), 64, kTo, nullptr))
CALL(
    "cudaMemcpyAsync kind 7",
    cudaMemcpyAsync(device_memory(), host_memory(), 64, static_cast<cudaMemcpyKind>(7), nullptr)
)
CALL("cudaMemcpyAsync the wrong way", cudaMemcpyAsync(host_memory(), device_memory(), 64, kTo, nullptr))
CALL(
    "cudaMemcpyAsync destroyed stream",
    cudaMemcpyAsync(device_memory(), host_memory(), 64, kTo, destroyed_stream())
)
CALL(
    "cudaMemcpyAsync wild stream",
    cudaMemcpyAsync(device_memory(), host_memory(), 64, kTo, nowhere<cudaStream_t>())
)
CALL("cudaMemcpyAsync wild device pointer", cudaMemcpyAsync(nowhere(), host_memory(), 64, kTo, nullptr))
CALL("cudaMemcpyAsync freed", cudaMemcpyAsync(freed_memory(), host_memory(), 64, kTo, stream()))
CALL("cudaMemcpyPeer no device", cudaMemcpyPeer(device_memory(), 0, device_memory(), 99, 64))
CALL("cudaMemcpyPeer device -1", cudaMemcpyPeer(device_memory(), -1, device_memory(), 0, 64))
CALL("cudaMemcpyPeer null", cudaMemcpyPeer(nullptr, 0, device_memory(), 0, 64))
CALL("cudaMemcpyPeer of malloc", cudaMemcpyPeer(device_memory(), 0, host_memory(), 0, 64))
CALL("cudaMemcpyPeer same device", cudaMemcpyPeer(device_memory(), 0, device_memory(), 0, 64))

CALL("cudaMemcpy2D to null", cudaMemcpy2D(nullptr, 64, host_memory(), 64, 64, 4, kTo))
CALL("cudaMemcpy2D from null", cudaMemcpy2D(device_memory(), 64, nullptr, 64, 64, 4, kTo))
CALL("cudaMemcpy2D pitch of the target", cudaMemcpy2D(device_memory(), 32, host_memory(), 64, 64, 4, kTo))
CALL("cudaMemcpy2D pitch of the source", cudaMemcpy2D(device_memory(), 64, host_memory(), 32, 64, 4, kTo))
CALL("cudaMemcpy2D no width", cudaMemcpy2D(device_memory(), 64, host_memory(), 64, 0, 4, kTo))
CALL("cudaMemcpy2D no height", cudaMemcpy2D(device_memory(), 64, host_memory(), 64, 64, 0, kTo))
CALL(
    "cudaMemcpy2D kind 7",
    cudaMemcpy2D(device_memory(), 64, host_memory(), 64, 64, 4, static_cast<cudaMemcpyKind>(7))
)
CALL("cudaMemcpy2D the wrong way", cudaMemcpy2D(host_memory(), 64, device_memory(), 64, 64, 4, kTo))
CALL("cudaMemcpy2D over the end", cudaMemcpy2D(device_memory(), 4096, host_memory(), 16, 16, 1 << 16, kTo))
CALL("cudaMemcpy2D pitch of all bytes", cudaMemcpy2D(device_memory(), kHuge, host_memory(), 64, 64, 4, kTo))
CALL(
    "cudaMemcpy2DAsync destroyed stream",
    cudaMemcpy2DAsync(device_memory(), 64, host_memory(), 64, 64, 4, kTo, destroyed_stream())
)
CALL("cudaMemcpy3D null", cudaMemcpy3D(nullptr))
CALL("cudaMemcpy3D wild", cudaMemcpy3D(nowhere<cudaMemcpy3DParms*>()))
ROW("cudaMemcpy3D nothing said", const cudaMemcpy3DParms p{}; say(cudaMemcpy3D(&p)))
cudaMemcpy3DParms described(void* to, void* from, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p{};
    p.dstPtr = {to, 64, 64, 4}, p.srcPtr = {from, 64, 64, 4}, p.extent = {64, 4, 2}, p.kind = kind;
    return p;
}
ROW("cudaMemcpy3D", const auto p = described(device_memory(), host_memory(), kTo); say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D from null", const auto p = described(device_memory(), nullptr, kTo); say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D kind 7",
    const auto p = described(device_memory(), host_memory(), static_cast<cudaMemcpyKind>(7));
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D the wrong way", const auto p = described(host_memory(), device_memory(), kTo);
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D array and pointer", auto p = described(device_memory(), host_memory(), kTo);
    p.dstArray = array();
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D no extent", auto p = described(device_memory(), host_memory(), kTo); p.extent = {};
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D pitch", auto p = described(device_memory(), host_memory(), kTo); p.dstPtr.pitch = 16;
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D wild array", cudaMemcpy3DParms p{}; p.dstArray = nowhere<cudaArray_t>();
    p.srcPtr = {host_memory(), 256, 64, 4}, p.extent = {4, 4, 1}, p.kind = kTo;
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D freed array", cudaMemcpy3DParms p{}; p.dstArray = freed_array();
    p.srcPtr = {host_memory(), 256, 64, 4}, p.extent = {4, 4, 1}, p.kind = kTo;
    say(cudaMemcpy3D(&p)))
ROW("cudaMemcpy3D outside an array", cudaMemcpy3DParms p{}; p.dstArray = array(); p.dstPos = {60, 0, 0};
    p.srcPtr = {host_memory(), 256, 64, 4}, p.extent = {16, 4, 1}, p.kind = kTo;
    say(cudaMemcpy3D(&p)))

CALL(
    "cudaMemcpyToSymbol null", cudaMemcpyToSymbol(static_cast<const void*>(nullptr), host_memory(), 4, 0, kTo)
)
CALL("cudaMemcpyToSymbol wild", cudaMemcpyToSymbol(nowhere(), host_memory(), 4, 0, kTo))
CALL("cudaMemcpyToSymbol of malloc", cudaMemcpyToSymbol(host_memory(), host_memory(), 4, 0, kTo))
CALL("cudaMemcpyToSymbol of device memory", cudaMemcpyToSymbol(device_memory(), host_memory(), 4, 0, kTo))
CALL("cudaMemcpyToSymbol from null", cudaMemcpyToSymbol(variable(), nullptr, 4, 0, kTo))
CALL("cudaMemcpyToSymbol over the end", cudaMemcpyToSymbol(variable(), host_memory(), 128, 0, kTo))
CALL("cudaMemcpyToSymbol offset", cudaMemcpyToSymbol(variable(), host_memory(), 4, 64, kTo))
CALL("cudaMemcpyToSymbol offset of all", cudaMemcpyToSymbol(variable(), host_memory(), 4, kHuge - 1, kTo))
CALL("cudaMemcpyToSymbol kind", cudaMemcpyToSymbol(variable(), host_memory(), 4, 0, kFrom))
CALL(
    "cudaMemcpyToSymbol kind 7",
    cudaMemcpyToSymbol(variable(), host_memory(), 4, 0, static_cast<cudaMemcpyKind>(7))
)
CALL("cudaMemcpyToSymbol nothing", cudaMemcpyToSymbol(variable(), host_memory(), 0, 0, kTo))
CALL("cudaMemcpyToSymbol", cudaMemcpyToSymbol(variable(), host_memory(), 64, 0, kTo))
CALL(
    "cudaMemcpyFromSymbol null",
    cudaMemcpyFromSymbol(host_memory(), static_cast<const void*>(nullptr), 4, 0, kFrom)
)
CALL("cudaMemcpyFromSymbol to null", cudaMemcpyFromSymbol(nullptr, variable(), 4, 0, kFrom))
CALL("cudaMemcpyFromSymbol over the end", cudaMemcpyFromSymbol(host_memory(), variable(), 128, 0, kFrom))
CALL("cudaMemcpyFromSymbol kind", cudaMemcpyFromSymbol(host_memory(), variable(), 4, 0, kTo))
CALL(
    "cudaMemcpyToSymbolAsync destroyed stream",
    cudaMemcpyToSymbolAsync(variable(), host_memory(), 4, 0, kTo, destroyed_stream())
)
void* out = nullptr;
size_t bytes = 0;
CALL("cudaGetSymbolAddress null", cudaGetSymbolAddress(static_cast<void**>(nullptr), variable()))
CALL("cudaGetSymbolAddress of null", cudaGetSymbolAddress(&out, static_cast<const void*>(nullptr)))
CALL("cudaGetSymbolAddress wild", cudaGetSymbolAddress(&out, nowhere()))
CALL("cudaGetSymbolSize null", cudaGetSymbolSize(nullptr, variable()))
CALL("cudaGetSymbolSize wild", cudaGetSymbolSize(&bytes, nowhere()))

CALL("cudaMemcpy2DToArray null array", cudaMemcpy2DToArray(nullptr, 0, 0, host_memory(), 64, 64, 4, kTo))
CALL(
    "cudaMemcpy2DToArray wild array",
    cudaMemcpy2DToArray(nowhere<cudaArray_t>(), 0, 0, host_memory(), 64, 64, 4, kTo)
)
CALL(
    "cudaMemcpy2DToArray freed array", cudaMemcpy2DToArray(freed_array(), 0, 0, host_memory(), 64, 64, 4, kTo)
)
CALL("cudaMemcpy2DToArray from null", cudaMemcpy2DToArray(array(), 0, 0, nullptr, 64, 64, 4, kTo))
CALL("cudaMemcpy2DToArray outside", cudaMemcpy2DToArray(array(), 250, 0, host_memory(), 64, 64, 4, kTo))
CALL("cudaMemcpy2DToArray below", cudaMemcpy2DToArray(array(), 0, 14, host_memory(), 64, 64, 4, kTo))
CALL("cudaMemcpy2DToArray pitch", cudaMemcpy2DToArray(array(), 0, 0, host_memory(), 32, 64, 4, kTo))
CALL("cudaMemcpy2DToArray kind", cudaMemcpy2DToArray(array(), 0, 0, host_memory(), 64, 64, 4, kFrom))
CALL("cudaMemcpy2DToArray", cudaMemcpy2DToArray(array(), 0, 0, host_memory(), 256, 256, 16, kTo))
CALL(
    "cudaMemcpy2DFromArray null array", cudaMemcpy2DFromArray(host_memory(), 64, nullptr, 0, 0, 64, 4, kFrom)
)
CALL("cudaMemcpy2DFromArray to null", cudaMemcpy2DFromArray(nullptr, 64, array(), 0, 0, 64, 4, kFrom))
CALL("cudaMemcpy2DFromArray outside", cudaMemcpy2DFromArray(host_memory(), 64, array(), 224, 0, 64, 4, kFrom))
CALL("cudaMemcpy2DArrayToArray null", cudaMemcpy2DArrayToArray(array(), 0, 0, nullptr, 0, 0, 64, 4, kOn))
CALL("cudaMemcpy2DArrayToArray outside", cudaMemcpy2DArrayToArray(array(), 0, 0, array(), 0, 15, 64, 4, kOn))

CALL("cudaMemset null", cudaMemset(nullptr, 0, 64))
CALL("cudaMemset null, nothing", cudaMemset(nullptr, 0, 0))
CALL("cudaMemset wild", cudaMemset(nowhere(), 0, 64))
CALL("cudaMemset malloc", cudaMemset(host_memory(), 0, 64))
CALL("cudaMemset pinned", cudaMemset(pinned_memory(), 0, 64))
CALL("cudaMemset freed", cudaMemset(freed_memory(), 0, 64))
CALL("cudaMemset over the end", cudaMemset(device_memory(), 0, 1 << 30))
CALL("cudaMemset all bytes", cudaMemset(device_memory(), 0, kHuge))
CALL("cudaMemset inside", cudaMemset(at(device_memory(), 5), 0, 64))
CALL("cudaMemsetAsync wild", cudaMemsetAsync(nowhere(), 0, 64, nullptr))
CALL("cudaMemsetAsync destroyed stream", cudaMemsetAsync(device_memory(), 0, 64, destroyed_stream()))
CALL("cudaMemset2D null", cudaMemset2D(nullptr, 64, 0, 64, 4))
CALL("cudaMemset2D pitch", cudaMemset2D(device_memory(), 32, 0, 64, 4))
CALL("cudaMemset2D over the end", cudaMemset2D(device_memory(), 4096, 0, 64, 1 << 16))
CALL("cudaMemset2D nothing", cudaMemset2D(device_memory(), 64, 0, 0, 0))
CALL("cudaMemset3D null", cudaMemset3D({nullptr, 64, 64, 4}, 0, {64, 4, 1}))
CALL("cudaMemset3D pitch", cudaMemset3D({device_memory(), 32, 32, 4}, 0, {64, 4, 1}))
CALL("cudaMemset3D nothing", cudaMemset3D({device_memory(), 64, 64, 4}, 0, {0, 0, 0}))

}  // namespace
}  // namespace wild
