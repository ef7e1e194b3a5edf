// The device, kernels, launches, and what a child of a fork may do.
#include "table.h"

namespace wild {
namespace {

int number = 0;
size_t bytes = 0;
char text[64];
void* out = nullptr;
cudaDeviceProp properties;
cudaFuncAttributes attributes;

CALL("cudaGetDeviceCount null", cudaGetDeviceCount(nullptr))
CALL("cudaGetDeviceCount wild", cudaGetDeviceCount(nowhere<int*>()))
CALL("cudaGetDevice null", cudaGetDevice(nullptr))
CALL("cudaSetDevice -1", cudaSetDevice(-1))
CALL("cudaSetDevice 99", cudaSetDevice(99))
CALL("cudaInitDevice 99", cudaInitDevice(99, 0, 0))
CALL("cudaInitDevice flags", cudaInitDevice(0, 0, 77))
CALL("cudaSetDeviceFlags 0x1000", cudaSetDeviceFlags(0x1000))
CALL("cudaGetDeviceFlags null", cudaGetDeviceFlags(nullptr))
CALL("cudaGetDeviceProperties null", cudaGetDeviceProperties(nullptr, 0))
CALL("cudaGetDeviceProperties 99", cudaGetDeviceProperties(&properties, 99))
CALL("cudaDeviceGetAttribute null", cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0))
CALL("cudaDeviceGetAttribute word", cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(9999), 0))
CALL("cudaDeviceGetAttribute word 0", cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(0), 0))
CALL("cudaDeviceGetAttribute 99", cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 99))
CALL("cudaChooseDevice null", cudaChooseDevice(nullptr, &properties))
CALL("cudaChooseDevice null properties", cudaChooseDevice(&number, nullptr))
CALL("cudaDeviceGetPCIBusId null", cudaDeviceGetPCIBusId(nullptr, 64, 0))
CALL("cudaDeviceGetPCIBusId no room", cudaDeviceGetPCIBusId(text, 0, 0))
CALL("cudaDeviceGetPCIBusId room of -1", cudaDeviceGetPCIBusId(text, -1, 0))
CALL("cudaDeviceGetPCIBusId room of 3", cudaDeviceGetPCIBusId(text, 3, 0))
CALL("cudaDeviceGetPCIBusId 99", cudaDeviceGetPCIBusId(text, 64, 99))
CALL("cudaDeviceGetByPCIBusId null", cudaDeviceGetByPCIBusId(nullptr, "0000:00:00.0"))
CALL("cudaDeviceGetByPCIBusId null text", cudaDeviceGetByPCIBusId(&number, nullptr))
CALL("cudaDeviceGetByPCIBusId no text", cudaDeviceGetByPCIBusId(&number, "nonsense"))
CALL("cudaDeviceCanAccessPeer null", cudaDeviceCanAccessPeer(nullptr, 0, 0))
CALL("cudaDeviceCanAccessPeer 99", cudaDeviceCanAccessPeer(&number, 0, 99))
CALL("cudaDeviceEnablePeerAccess itself", cudaDeviceEnablePeerAccess(0, 0))
CALL("cudaDeviceEnablePeerAccess 99", cudaDeviceEnablePeerAccess(99, 0))
CALL("cudaDeviceDisablePeerAccess itself", cudaDeviceDisablePeerAccess(0))
CALL("cudaDeviceDisablePeerAccess 99", cudaDeviceDisablePeerAccess(99))
CALL("cudaDeviceGetLimit null", cudaDeviceGetLimit(nullptr, cudaLimitStackSize))
CALL("cudaDeviceGetLimit word", cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(99)))
CALL("cudaDeviceSetLimit word", cudaDeviceSetLimit(static_cast<cudaLimit>(99), 64))
CALL("cudaDeviceSetLimit stack of 0", cudaDeviceSetLimit(cudaLimitStackSize, 0))
CALL("cudaDeviceSetLimit stack of all", cudaDeviceSetLimit(cudaLimitStackSize, kHuge))
CALL("cudaDeviceSetLimit heap of all", cudaDeviceSetLimit(cudaLimitMallocHeapSize, kHuge))
CALL("cudaDeviceSetLimit printf of all", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, kHuge))
CALL("cudaDeviceGetCacheConfig null", cudaDeviceGetCacheConfig(nullptr))
CALL("cudaDeviceSetCacheConfig word", cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(99)))
CALL("cudaDeviceGetStreamPriorityRange nulls", cudaDeviceGetStreamPriorityRange(nullptr, nullptr))
CALL("cudaDriverGetVersion null", cudaDriverGetVersion(nullptr))
CALL("cudaRuntimeGetVersion null", cudaRuntimeGetVersion(nullptr))
ROW("cudaGetErrorName 99999", say(std::string(cudaGetErrorName(static_cast<cudaError_t>(99999)))))
ROW("cudaGetErrorString -1", say(std::string(cudaGetErrorString(static_cast<cudaError_t>(-1)))))
CALL(
    "cudaDeviceGetGraphMemAttribute null",
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, nullptr)
)
ROW("cudaDeviceGetGraphMemAttribute word", uint64_t v = 0;
    say(cudaDeviceGetGraphMemAttribute(0, static_cast<cudaGraphMemAttributeType>(99), &v)))
ROW("cudaDeviceSetGraphMemAttribute 99", uint64_t v = 0;
    say(cudaDeviceSetGraphMemAttribute(99, cudaGraphMemAttrUsedMemHigh, &v)))
CALL("cudaDeviceGraphMemTrim 99", cudaDeviceGraphMemTrim(99))

CALL("cudaFuncGetAttributes null", cudaFuncGetAttributes(nullptr, kernel()))
CALL("cudaFuncGetAttributes of null", cudaFuncGetAttributes(&attributes, static_cast<const void*>(nullptr)))
CALL("cudaFuncGetAttributes wild", cudaFuncGetAttributes(&attributes, nowhere()))
CALL(
    "cudaFuncSetAttribute of null",
    cudaFuncSetAttribute(static_cast<const void*>(nullptr), cudaFuncAttributeMaxDynamicSharedMemorySize, 64)
)
CALL("cudaFuncSetAttribute word", cudaFuncSetAttribute(kernel(), static_cast<cudaFuncAttribute>(99), 64))
CALL(
    "cudaFuncSetAttribute -1", cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, -1)
)
CALL(
    "cudaFuncSetAttribute 1 GiB",
    cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30)
)
CALL(
    "cudaFuncSetAttribute carveout of 500",
    cudaFuncSetAttribute(kernel(), cudaFuncAttributePreferredSharedMemoryCarveout, 500)
)
CALL("cudaFuncSetCacheConfig wild", cudaFuncSetCacheConfig(nowhere(), cudaFuncCachePreferL1))
CALL("cudaFuncSetCacheConfig word", cudaFuncSetCacheConfig(kernel(), static_cast<cudaFuncCache>(99)))
CALL("cudaFuncGetName null", cudaFuncGetName(nullptr, kernel()))
ROW("cudaFuncGetName of null", const char* name = nullptr; say(cudaFuncGetName(&name, nullptr)))
ROW("cudaFuncGetName wild", const char* name = nullptr; say(cudaFuncGetName(&name, nowhere())))
ROW("cudaGetFuncBySymbol wild", cudaFunction_t f = nullptr; say(cudaGetFuncBySymbol(&f, nowhere())))
CALL("cudaGetFuncBySymbol null", cudaGetFuncBySymbol(static_cast<cudaFunction_t*>(nullptr), kernel()))
ROW("cudaGetKernel wild", cudaKernel_t k = nullptr; say(cudaGetKernel(&k, nowhere())))
CALL(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor null",
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel(), 64, 0)
)
CALL(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor wild",
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, nowhere(), 64, 0)
)
CALL(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor 0 threads",
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel(), 0, 0)
)
CALL(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor -1 threads",
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel(), -1, 0)
)
ROW("cudaOccupancyMaxActiveBlocksPerMultiprocessor 4096 threads",
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel(), 4096, 0));
    say(std::to_string(number)))
CALL(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor all shared",
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel(), 64, kHuge)
)
CALL(
    "cudaOccupancyAvailableDynamicSMemPerBlock null",
    cudaOccupancyAvailableDynamicSMemPerBlock(nullptr, kernel(), 1, 64)
)
CALL(
    "cudaOccupancyAvailableDynamicSMemPerBlock 0 blocks",
    cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel(), 0, 64)
)
CALL("cudaGetDriverEntryPoint null", cudaGetDriverEntryPoint(nullptr, &out, 0, nullptr))
CALL("cudaGetDriverEntryPoint no such name", cudaGetDriverEntryPoint("cuNonsense", &out, 0, nullptr))

dim3 d(unsigned x, unsigned y = 1, unsigned z = 1) { return {x, y, z}; }
cudaError_t launch(const void* f, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t s = nullptr) {
    void* p = device_memory();
    int n = 3;
    void* args[] = {&p, &n};
    const cudaError_t error = cudaLaunchKernel(f, grid, block, args, shared, s);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}
CALL("launch", launch(kernel(), d(1), d(32)))
CALL("launch of null", launch(nullptr, d(1), d(32)))
CALL("launch wild", launch(nowhere(), d(1), d(32)))
CALL("launch of malloc", launch(host_memory(), d(1), d(32)))
CALL("launch of a variable", launch(variable(), d(1), d(32)))
CALL("launch no blocks", launch(kernel(), d(0), d(32)))
CALL("launch no threads", launch(kernel(), d(1), d(0)))
CALL("launch 2048 threads", launch(kernel(), d(1), d(2048)))
CALL("launch 65 layers of threads", launch(kernel(), d(1), d(1, 1, 65)))
CALL("launch 2^32 threads", launch(kernel(), d(1), d(65536, 65536)))
CALL("launch 65536 rows of blocks", launch(kernel(), d(1, 65536), d(32)))
CALL("launch 2^31 blocks", launch(kernel(), d(2147483648U), d(32)))
CALL("launch 1 MiB of shared memory", launch(kernel(), d(1), d(32), 1 << 20))
CALL("launch 50 KiB of shared memory", launch(kernel(), d(1), d(32), 50 << 10))
CALL("launch all shared memory", launch(kernel(), d(1), d(32), kHuge))
CALL("launch wild stream", launch(kernel(), d(1), d(32), 0, nowhere<cudaStream_t>()))
CALL("launch destroyed stream", launch(kernel(), d(1), d(32), 0, destroyed_stream()))
CALL("launch null arguments", cudaLaunchKernel(kernel(), d(1), d(32), nullptr, 0, nullptr))
CALL("launch wild arguments", cudaLaunchKernel(kernel(), d(1), d(32), nowhere<void**>(), 0, nullptr))
ROW("launch null argument", void* args[] = {nullptr, nullptr};
    say(cudaLaunchKernel(kernel(), d(1), d(32), args, 0, nullptr)))
ROW("launch wild argument", void* args[] = {nowhere(), nowhere()};
    say(cudaLaunchKernel(kernel(), d(1), d(32), args, 0, nullptr)))
CALL("launch without parameters", cudaLaunchKernel(plain_kernel(), d(1), d(32), nullptr, 0, nullptr))
ROW("launch, then the last error", say(launch(kernel(), d(1), d(2048))); say(cudaPeekAtLastError());
    say(cudaDeviceSynchronize());
    say(cudaGetLastError());
    say(cudaGetLastError()))
CALL(
    "launch cooperative, too many blocks",
    cudaLaunchCooperativeKernel(plain_kernel(), d(1 << 20), d(1024), nullptr, 0, nullptr)
)
CALL(
    "launch cooperative of null",
    cudaLaunchCooperativeKernel(static_cast<const void*>(nullptr), d(1), d(32), nullptr, 0, nullptr)
)
CALL("cudaLaunchKernelExC null", cudaLaunchKernelExC(nullptr, plain_kernel(), nullptr))
CALL("cudaLaunchKernelExC wild", cudaLaunchKernelExC(nowhere<cudaLaunchConfig_t*>(), plain_kernel(), nullptr))
cudaLaunchConfig_t config(cudaLaunchAttribute* list, unsigned length) {
    return {d(1), d(32), 0, nullptr, list, length};
}
ROW("cudaLaunchKernelExC null attributes", const auto c = config(nullptr, 3);
    say(cudaLaunchKernelExC(&c, plain_kernel(), nullptr)))
ROW("cudaLaunchKernelExC wild attributes", const auto c = config(nowhere<cudaLaunchAttribute*>(), 3);
    say(cudaLaunchKernelExC(&c, plain_kernel(), nullptr)))
ROW("cudaLaunchKernelExC word", cudaLaunchAttribute a{}; a.id = static_cast<cudaLaunchAttributeID>(77);
    const auto c = config(&a, 1);
    say(cudaLaunchKernelExC(&c, plain_kernel(), nullptr)))
ROW("cudaLaunchKernelExC cluster of 3 in 1", cudaLaunchAttribute a{};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim = {3, 1, 1};
    const auto c = config(&a, 1);
    say(cudaLaunchKernelExC(&c, plain_kernel(), nullptr)))

#define FORK(name, before, ...)                                                                 \
    ROW(name, before; const int code = in_a_fork([] { return static_cast<int>(__VA_ARGS__); }); \
        if (code < 0) say("signal " + std::to_string(-code));                                   \
        else say(static_cast<cudaError_t>(code)))

FORK("fork before any call, then cudaMalloc", , cudaMalloc(&out, 64))
FORK("fork after cudaDriverGetVersion, then cudaMalloc", cudaDriverGetVersion(&number), cudaMalloc(&out, 64))
FORK("fork after cudaGetDeviceCount, then cudaMalloc", cudaGetDeviceCount(&number), cudaMalloc(&out, 64))
FORK("fork after cuInit, then cudaMalloc", cuInit(0), cudaMalloc(&out, 64))
FORK("fork after cudaMalloc, then cudaMalloc", device_memory(), cudaMalloc(&out, 64))
FORK("fork after cudaMalloc, then cudaGetDeviceCount", device_memory(), cudaGetDeviceCount(&number))
FORK("fork after cudaMalloc, then cudaGetDevice", device_memory(), cudaGetDevice(&number))
FORK("fork after cudaMalloc, then cudaSetDevice", device_memory(), cudaSetDevice(0))
FORK("fork after cudaMalloc, then cudaDriverGetVersion", device_memory(), cudaDriverGetVersion(&number))
FORK("fork after cudaMalloc, then cudaRuntimeGetVersion", device_memory(), cudaRuntimeGetVersion(&number))
FORK("fork after cudaMalloc, then cudaGetLastError", device_memory(), cudaGetLastError())
FORK(
    "fork after cudaMalloc, then cudaMalloc and cudaGetLastError",
    device_memory(),
    (cudaMalloc(&out, 64), cudaGetLastError())
)
FORK("fork after cudaMalloc, then cudaDeviceSynchronize", device_memory(), cudaDeviceSynchronize())
FORK("fork after cudaMalloc, then cudaDeviceReset", device_memory(), cudaDeviceReset())
FORK(
    "fork after cudaMalloc, then cudaMalloc null",
    device_memory(),
    cudaMalloc(static_cast<void**>(nullptr), 64)
)
FORK("fork after cudaMalloc, then cudaFree null", device_memory(), cudaFree(nullptr))
FORK("fork after cudaMalloc, then cudaFree of its memory", out = device_memory(), cudaFree(out))
FORK("fork after cudaMalloc, then cudaFreeHost of its memory", out = pinned_memory(), cudaFreeHost(out))
FORK("fork after cudaMalloc, then cudaStreamCreate", device_memory(), ([] {
         cudaStream_t s;
         return cudaStreamCreate(&s);
     }()))
FORK(
    "fork after cudaMalloc, then a launch",
    device_memory(),
    cudaLaunchKernel(plain_kernel(), dim3(1), dim3(1), nullptr, 0, nullptr)
)
FORK(
    "fork after cudaMalloc, then cudaGetSymbolAddress",
    device_memory(),
    cudaGetSymbolAddress(&out, variable())
)
FORK("fork after cudaMalloc, then cuInit", device_memory(), cuInit(0))
FORK("fork after cudaMalloc, then cuCtxGetCurrent", device_memory(), ([] {
         CUcontext c;
         return cuCtxGetCurrent(&c);
     }()))
FORK("fork after cudaMalloc, then cuMemAlloc", device_memory(), ([] {
         CUdeviceptr p;
         return cuMemAlloc(&p, 64);
     }()))
FORK("fork after cudaMalloc, then cuDriverGetVersion", device_memory(), cuDriverGetVersion(&number))
FORK("fork after cudaMalloc, then cuDeviceGetCount", device_memory(), cuDeviceGetCount(&number))
FORK("fork after cuInit, then cuInit", cuInit(0), cuInit(0))

}  // namespace
}  // namespace wild
