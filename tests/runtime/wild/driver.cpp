// The driver API: initialising, contexts, memory, copies.
#include "table.h"

namespace wild {
namespace {

int number = 0;
unsigned flags = 0;
size_t bytes = 0;
char text[64];
void* out = nullptr;
CUdeviceptr made = 0;
CUcontext of = nullptr;

CUdeviceptr number_of(void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CALL("cuInit flags", cuInit(1))
CALL("before cuInit: cuDeviceGetCount", cuDeviceGetCount(&number))
CALL("before cuInit: cuMemAlloc", cuMemAlloc(&made, 64))
CALL("before cuInit: cuCtxGetCurrent", cuCtxGetCurrent(&of))
CALL("before cuInit: cuDriverGetVersion", cuDriverGetVersion(&number))
CALL("before cuInit: cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&of, 0))
CALL("before cuInit: cuMemAlloc null", cuMemAlloc(nullptr, 64))
#define INIT(name, ...) ROW(name, cuInit(0); say(__VA_ARGS__))
#define DRIVER(name, ...) ROW(name, context(); say(__VA_ARGS__))
INIT("without a context: cuMemAlloc", cuMemAlloc(&made, 64))
INIT("without a context: cuCtxSynchronize", cuCtxSynchronize())
INIT("without a context: cuCtxGetDevice", cuCtxGetDevice(&number))
INIT("without a context: cuCtxGetCurrent", cuCtxGetCurrent(&of))
INIT("without a context: cuStreamSynchronize", cuStreamSynchronize(nullptr))
INIT("without a context: cuMemFree 0", cuMemFree(0))
INIT("without a context: cuModuleLoadData", [] {
    CUmodule m;
    return cuModuleLoadData(&m, kText);
}())
INIT("cuDriverGetVersion null", cuDriverGetVersion(nullptr))
INIT("cuDeviceGetCount null", cuDeviceGetCount(nullptr))
INIT("cuDeviceGet null", cuDeviceGet(nullptr, 0))
INIT("cuDeviceGet -1", cuDeviceGet(&number, -1))
INIT("cuDeviceGet 99", cuDeviceGet(&number, 99))
INIT("cuDeviceGetName null", cuDeviceGetName(nullptr, 64, 0))
INIT("cuDeviceGetName no room", cuDeviceGetName(text, 0, 0))
INIT("cuDeviceGetName room of -1", cuDeviceGetName(text, -1, 0))
INIT("cuDeviceGetName room of 3", cuDeviceGetName(text, 3, 0))
INIT("cuDeviceGetName 99", cuDeviceGetName(text, 64, 99))
INIT("cuDeviceTotalMem null", cuDeviceTotalMem(nullptr, 0))
INIT("cuDeviceTotalMem 99", cuDeviceTotalMem(&bytes, 99))
INIT("cuDeviceGetAttribute null", cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0))
INIT("cuDeviceGetAttribute word", cuDeviceGetAttribute(&number, static_cast<CUdevice_attribute>(9999), 0))
INIT("cuDeviceGetAttribute -1", cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1))
INIT("cuDeviceGetUuid null", cuDeviceGetUuid(nullptr, 0))
INIT("cuCtxCreate null", cuCtxCreate(nullptr, nullptr, 0, 0))
INIT("cuCtxCreate flags", cuCtxCreate(&of, nullptr, 0x10000, 0))
INIT("cuCtxCreate 99", cuCtxCreate(&of, nullptr, 0, 99))
INIT("cuCtxDestroy null", cuCtxDestroy(nullptr))
INIT("cuCtxDestroy wild", cuCtxDestroy(nowhere<CUcontext>()))
CUcontext destroyed() {
    CUcontext c = nullptr;
    cuInit(0);
    cuCtxCreate(&c, nullptr, 0, 0);
    cuCtxDestroy(c);
    return c;
}
CALL("cuCtxDestroy twice", cuCtxDestroy(destroyed()))
CALL("cuCtxDestroy the primary", cuCtxDestroy(context()))
INIT("cuCtxSetCurrent wild", cuCtxSetCurrent(nowhere<CUcontext>()))
CALL("cuCtxSetCurrent destroyed", cuCtxSetCurrent(destroyed()))
INIT("cuCtxSetCurrent null", cuCtxSetCurrent(nullptr))
INIT("cuCtxPushCurrent null", cuCtxPushCurrent(nullptr))
INIT("cuCtxPushCurrent wild", cuCtxPushCurrent(nowhere<CUcontext>()))
INIT("cuCtxPopCurrent of none", cuCtxPopCurrent(&of))
DRIVER("cuCtxPopCurrent null", cuCtxPopCurrent(nullptr))
INIT("cuCtxGetCurrent null", cuCtxGetCurrent(nullptr))
DRIVER("cuCtxGetDevice null", cuCtxGetDevice(nullptr))
DRIVER("cuCtxGetFlags null", cuCtxGetFlags(nullptr))
DRIVER("cuCtxGetApiVersion null", cuCtxGetApiVersion(context(), nullptr))
DRIVER("cuCtxGetApiVersion wild", cuCtxGetApiVersion(nowhere<CUcontext>(), &flags))
DRIVER("cuCtxGetLimit null", cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE))
DRIVER("cuCtxGetLimit word", cuCtxGetLimit(&bytes, static_cast<CUlimit>(99)))
DRIVER("cuCtxSetLimit word", cuCtxSetLimit(static_cast<CUlimit>(99), 1))
DRIVER("cuCtxGetCacheConfig null", cuCtxGetCacheConfig(nullptr))
DRIVER("cuCtxSetCacheConfig word", cuCtxSetCacheConfig(static_cast<CUfunc_cache>(99)))
DRIVER("cuCtxGetStreamPriorityRange nulls", cuCtxGetStreamPriorityRange(nullptr, nullptr))
INIT("cuDevicePrimaryCtxRetain null", cuDevicePrimaryCtxRetain(nullptr, 0))
INIT("cuDevicePrimaryCtxRetain 99", cuDevicePrimaryCtxRetain(&of, 99))
INIT("cuDevicePrimaryCtxRelease of none", cuDevicePrimaryCtxRelease(0))
INIT("cuDevicePrimaryCtxRelease 99", cuDevicePrimaryCtxRelease(99))
INIT("cuDevicePrimaryCtxGetState nulls", cuDevicePrimaryCtxGetState(0, nullptr, nullptr))
INIT("cuDevicePrimaryCtxSetFlags", cuDevicePrimaryCtxSetFlags(0, 0x1000))
ROW("released primary context: cuMemAlloc", context(); cuDevicePrimaryCtxRelease(0);
    say(cuMemAlloc(&made, 64)))

DRIVER("cuMemAlloc null", cuMemAlloc(nullptr, 64))
DRIVER("cuMemAlloc wild", cuMemAlloc(nowhere<CUdeviceptr*>(), 64))
DRIVER("cuMemAlloc 0 bytes", cuMemAlloc(&made, 0))
DRIVER("cuMemAlloc all bytes", cuMemAlloc(&made, kHuge))
DRIVER("cuMemAlloc 1 TiB", cuMemAlloc(&made, kTebibyte))
DRIVER("cuMemFree 0", cuMemFree(0))
DRIVER("cuMemFree wild", cuMemFree(kNowhere))
DRIVER("cuMemFree malloc", cuMemFree(number_of(host_memory())))
DRIVER("cuMemFree inside", cuMemFree(memory_of_driver() + 4))
DRIVER("cuMemFree twice", [] {
    const CUdeviceptr p = memory_of_driver();
    cuMemFree(p);
    return cuMemFree(p);
}())
DRIVER("cuMemAllocPitch element of 3", cuMemAllocPitch(&made, &bytes, 64, 4, 3))
DRIVER("cuMemAllocPitch null pitch", cuMemAllocPitch(&made, nullptr, 64, 4, 4))
DRIVER("cuMemAllocPitch no width", cuMemAllocPitch(&made, &bytes, 0, 4, 4))
DRIVER("cuMemAllocHost null", cuMemAllocHost(nullptr, 64))
DRIVER("cuMemAllocHost 0 bytes", cuMemAllocHost(&out, 0))
DRIVER("cuMemHostAlloc flags", cuMemHostAlloc(&out, 64, 0x100))
DRIVER("cuMemAllocManaged no flags", cuMemAllocManaged(&made, 64, 0))
DRIVER("cuMemAllocManaged null", cuMemAllocManaged(nullptr, 64, 1))
DRIVER("cuMemFreeHost null", cuMemFreeHost(nullptr))
DRIVER("cuMemFreeHost wild", cuMemFreeHost(nowhere()))
DRIVER("cuMemFreeHost of device memory", cuMemFreeHost(reinterpret_cast<void*>(memory_of_driver())))
DRIVER("cuMemHostRegister null", cuMemHostRegister(nullptr, 64, 0))
DRIVER("cuMemHostRegister wild", cuMemHostRegister(nowhere(), 64, 0))
DRIVER("cuMemHostRegister flags", cuMemHostRegister(host_memory(), 64, 0x100))
DRIVER("cuMemHostUnregister of malloc", cuMemHostUnregister(host_memory()))
DRIVER("cuMemHostGetDevicePointer null", cuMemHostGetDevicePointer(nullptr, pinned_memory(), 0))
DRIVER("cuMemHostGetDevicePointer of malloc", cuMemHostGetDevicePointer(&made, host_memory(), 0))
DRIVER("cuMemHostGetFlags null", cuMemHostGetFlags(nullptr, pinned_memory()))
DRIVER("cuMemHostGetFlags of malloc", cuMemHostGetFlags(&flags, host_memory()))
DRIVER("cuMemGetInfo nulls", cuMemGetInfo(nullptr, nullptr))
DRIVER("cuMemGetAddressRange nulls", cuMemGetAddressRange(nullptr, nullptr, memory_of_driver()))
DRIVER("cuMemGetAddressRange wild", cuMemGetAddressRange(&made, &bytes, kNowhere))
DRIVER(
    "cuPointerGetAttribute null",
    cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory_of_driver())
)
DRIVER(
    "cuPointerGetAttribute word",
    cuPointerGetAttribute(&made, static_cast<CUpointer_attribute>(99), memory_of_driver())
)
DRIVER("cuPointerGetAttribute wild", cuPointerGetAttribute(&made, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, kNowhere))
DRIVER(
    "cuPointerGetAttribute of malloc",
    cuPointerGetAttribute(&made, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, number_of(host_memory()))
)
DRIVER("cuPointerGetAttributes null", cuPointerGetAttributes(1, nullptr, nullptr, memory_of_driver()))
DRIVER("cuPointerGetAttributes nothing", cuPointerGetAttributes(0, nullptr, nullptr, memory_of_driver()))

DRIVER("cuMemcpyHtoD to 0", cuMemcpyHtoD(0, host_memory(), 64))
DRIVER("cuMemcpyHtoD from null", cuMemcpyHtoD(memory_of_driver(), nullptr, 64))
DRIVER("cuMemcpyHtoD to wild", cuMemcpyHtoD(kNowhere, host_memory(), 64))
DRIVER("cuMemcpyHtoD from wild", cuMemcpyHtoD(memory_of_driver(), nowhere(), 64))
DRIVER("cuMemcpyHtoD to malloc", cuMemcpyHtoD(number_of(host_memory()), host_memory(), 64))
DRIVER(
    "cuMemcpyHtoD from device memory",
    cuMemcpyHtoD(memory_of_driver(), reinterpret_cast<void*>(memory_of_driver()), 64)
)
DRIVER("cuMemcpyHtoD over the end", cuMemcpyHtoD(memory_of_driver(), host_memory(), 1 << 30))
DRIVER("cuMemcpyHtoD nothing", cuMemcpyHtoD(0, nullptr, 0))
DRIVER("cuMemcpyDtoH to null", cuMemcpyDtoH(nullptr, memory_of_driver(), 64))
DRIVER("cuMemcpyDtoH to wild", cuMemcpyDtoH(nowhere(), memory_of_driver(), 64))
DRIVER("cuMemcpyDtoH from wild", cuMemcpyDtoH(host_memory(), kNowhere, 64))
DRIVER("cuMemcpyDtoH from malloc", cuMemcpyDtoH(host_memory(), number_of(host_memory()), 64))
DRIVER("cuMemcpyDtoD from malloc", cuMemcpyDtoD(memory_of_driver(), number_of(host_memory()), 64))
DRIVER("cuMemcpy wild", cuMemcpy(kNowhere, memory_of_driver(), 64))
DRIVER(
    "cuMemcpyHtoDAsync destroyed stream",
    cuMemcpyHtoDAsync(memory_of_driver(), host_memory(), 64, destroyed_stream())
)
DRIVER(
    "cuMemcpyHtoDAsync wild stream",
    cuMemcpyHtoDAsync(memory_of_driver(), host_memory(), 64, nowhere<CUstream>())
)
DRIVER("cuMemcpy2D null", cuMemcpy2D(nullptr))
ROW("cuMemcpy2D nothing said", context(); const CUDA_MEMCPY2D c{}; say(cuMemcpy2D(&c)))
CUDA_MEMCPY2D plane() {
    CUDA_MEMCPY2D c{};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host_memory(), c.srcPitch = 64;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = memory_of_driver(), c.dstPitch = 64;
    c.WidthInBytes = 64, c.Height = 4;
    return c;
}
ROW("cuMemcpy2D", const auto c = plane(); say(cuMemcpy2D(&c)))
ROW("cuMemcpy2D type", auto c = plane(); c.srcMemoryType = static_cast<CUmemorytype>(9); say(cuMemcpy2D(&c)))
ROW("cuMemcpy2D pitch", auto c = plane(); c.srcPitch = 32; say(cuMemcpy2D(&c)))
ROW("cuMemcpy2D null array", auto c = plane(); c.srcMemoryType = CU_MEMORYTYPE_ARRAY; say(cuMemcpy2D(&c)))
ROW("cuMemcpy2D wild array", auto c = plane(); c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = nowhere<CUarray>();
    say(cuMemcpy2D(&c)))
ROW("cuMemcpy2D null host", auto c = plane(); c.srcHost = nullptr; say(cuMemcpy2D(&c)))
DRIVER("cuMemcpy3D null", cuMemcpy3D(nullptr))
DRIVER("cuMemsetD8 0", cuMemsetD8(0, 1, 64))
DRIVER("cuMemsetD8 wild", cuMemsetD8(kNowhere, 1, 64))
DRIVER("cuMemsetD8 malloc", cuMemsetD8(number_of(host_memory()), 1, 64))
DRIVER("cuMemsetD8 over the end", cuMemsetD8(memory_of_driver(), 1, 1 << 30))
DRIVER("cuMemsetD8 nothing", cuMemsetD8(0, 1, 0))
DRIVER("cuMemsetD16 odd", cuMemsetD16(memory_of_driver() + 1, 1, 4))
DRIVER("cuMemsetD32 odd", cuMemsetD32(memory_of_driver() + 2, 1, 4))
DRIVER("cuMemsetD32 all", cuMemsetD32(memory_of_driver(), 1, kHuge))
DRIVER("cuMemsetD2D8 pitch", cuMemsetD2D8(memory_of_driver(), 32, 1, 64, 4))
DRIVER("cuMemsetD8Async destroyed stream", cuMemsetD8Async(memory_of_driver(), 1, 64, destroyed_stream()))

constexpr size_t kPiece = 2 << 20;
CUmemAllocationProp here() {
    CUmemAllocationProp p{};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED, p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return p;
}
CUmemGenericAllocationHandle handle = 0;
DRIVER("cuMemAddressReserve null", cuMemAddressReserve(nullptr, kPiece, 0, 0, 0))
DRIVER("cuMemAddressReserve 0 bytes", cuMemAddressReserve(&made, 0, 0, 0, 0))
DRIVER("cuMemAddressReserve odd", cuMemAddressReserve(&made, 12345, 0, 0, 0))
DRIVER("cuMemAddressReserve align of 3", cuMemAddressReserve(&made, kPiece, 3, 0, 0))
DRIVER("cuMemAddressReserve flags", cuMemAddressReserve(&made, kPiece, 0, 0, 1))
DRIVER("cuMemAddressReserve all", cuMemAddressReserve(&made, ~size_t{0} / kPiece * kPiece, 0, 0, 0))
DRIVER("cuMemAddressFree wild", cuMemAddressFree(kNowhere, kPiece))
ROW("cuMemCreate null", context(); const auto p = here(); say(cuMemCreate(nullptr, kPiece, &p, 0)))
DRIVER("cuMemCreate null properties", cuMemCreate(&handle, kPiece, nullptr, 0))
ROW("cuMemCreate odd", context(); const auto p = here(); say(cuMemCreate(&handle, 12345, &p, 0)))
ROW("cuMemCreate 0 bytes", context(); const auto p = here(); say(cuMemCreate(&handle, 0, &p, 0)))
ROW("cuMemCreate type", context(); auto p = here(); p.type = static_cast<CUmemAllocationType>(99);
    say(cuMemCreate(&handle, kPiece, &p, 0)))
ROW("cuMemCreate no device", context(); auto p = here(); p.location.id = 99;
    say(cuMemCreate(&handle, kPiece, &p, 0)))
DRIVER("cuMemRelease wild", cuMemRelease(kNowhere))
DRIVER("cuMemMap wild", cuMemMap(kNowhere, kPiece, 0, kNowhere, 0))
DRIVER("cuMemUnmap wild", cuMemUnmap(kNowhere, kPiece))
DRIVER("cuMemSetAccess null", cuMemSetAccess(kNowhere, kPiece, nullptr, 1))
ROW("cuMemSetAccess not mapped", context(); cuMemAddressReserve(&made, kPiece, 0, 0, 0); CUmemAccessDesc d{};
    d.location = here().location;
    d.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    say(cuMemSetAccess(made, kPiece, &d, 1)))
DRIVER(
    "cuMemGetAllocationGranularity null",
    cuMemGetAllocationGranularity(&bytes, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM)
)

}  // namespace
}  // namespace wild
