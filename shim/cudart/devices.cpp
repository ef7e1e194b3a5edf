// The one device: what it says of itself is plausible for its architecture, and small where programs size
// their work by it.
#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/state.h"

#include <cstdio>
#include <cstring>
#include <iterator>

using namespace wl::cudart;

namespace {

constexpr int kMajor = 8, kMinor = 0, kMultiprocessors = 16, kVersion = 13000;
constexpr int kThreads = 1024, kWarps = 32, kRegisters = 65536, kBlocksPerMultiprocessor = 32;
constexpr int kSharedBlock = 48 << 10, kSharedOptin = 227 << 10, kSharedMultiprocessor = 228 << 10;
constexpr int kThreadsPerMultiprocessor = 2048, kGrid = 2147483647, kGridYz = 65535;
constexpr int kTexture = 131072, kTexture3d = 16384, kLayers = 2048, kClock = 1410000;
constexpr int kAlign = 512, kL2 = 4 << 20, kPersisting = 3 << 20, kWindow = 128 << 20, kBus = 5120,
              kReserved = 1024, kConstant = 65536;

// CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, _HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED and
// _GENERIC_COMPRESSION_SUPPORTED, which the runtime does not name. What memory holds does not tell whether it
// is compressed.
constexpr auto kVirtualMemory = static_cast<cudaDeviceAttr>(102),
               kDescriptorsSupported = static_cast<cudaDeviceAttr>(103),
               kCompression = static_cast<cudaDeviceAttr>(107);
constexpr int kDescriptors = cudaMemHandleTypePosixFileDescriptor;

struct Attribute {
    cudaDeviceAttr which;
    int value;
};
constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock,                kThreads                 },
    {cudaDevAttrMaxBlockDimX,                      kThreads                 },
    {cudaDevAttrMaxBlockDimY,                      kThreads                 },
    {cudaDevAttrMaxBlockDimZ,                      64                       },
    {cudaDevAttrMaxGridDimX,                       kGrid                    },
    {cudaDevAttrMaxGridDimY,                       kGridYz                  },
    {cudaDevAttrMaxGridDimZ,                       kGridYz                  },
    {cudaDevAttrMaxSharedMemoryPerBlock,           kSharedBlock             },
    {cudaDevAttrTotalConstantMemory,               kConstant                },
    {cudaDevAttrWarpSize,                          kWarps                   },
    {cudaDevAttrMaxPitch,                          kGrid                    },
    {cudaDevAttrMaxRegistersPerBlock,              kRegisters               },
    {cudaDevAttrClockRate,                         kClock                   },
    {cudaDevAttrTextureAlignment,                  kAlign                   },
    {cudaDevAttrTexturePitchAlignment,             32                       },
    {cudaDevAttrGpuOverlap,                        1                        },
    {cudaDevAttrMultiProcessorCount,               kMultiprocessors         },
    {cudaDevAttrCanMapHostMemory,                  1                        },
    {cudaDevAttrMaxTexture1DWidth,                 kTexture                 },
    {cudaDevAttrMaxTexture2DWidth,                 kTexture                 },
    {cudaDevAttrMaxTexture2DHeight,                65536                    },
    {cudaDevAttrMaxTexture3DWidth,                 kTexture3d               },
    {cudaDevAttrMaxTexture3DHeight,                kTexture3d               },
    {cudaDevAttrMaxTexture3DDepth,                 kTexture3d               },
    {cudaDevAttrMaxTexture2DLayeredLayers,         kLayers                  },
    {cudaDevAttrSurfaceAlignment,                  kAlign                   },
    {cudaDevAttrConcurrentKernels,                 1                        },
    {cudaDevAttrMemoryClockRate,                   1593000                  },
    {cudaDevAttrGlobalMemoryBusWidth,              kBus                     },
    {cudaDevAttrL2CacheSize,                       kL2                      },
    {cudaDevAttrMaxThreadsPerMultiProcessor,       kThreadsPerMultiprocessor},
    {cudaDevAttrAsyncEngineCount,                  2                        },
    {cudaDevAttrUnifiedAddressing,                 1                        },
    {cudaDevAttrComputeCapabilityMajor,            kMajor                   },
    {cudaDevAttrComputeCapabilityMinor,            kMinor                   },
    {cudaDevAttrStreamPrioritiesSupported,         1                        },
    {cudaDevAttrGlobalL1CacheSupported,            1                        },
    {cudaDevAttrLocalL1CacheSupported,             1                        },
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor,  kSharedMultiprocessor    },
    {cudaDevAttrMaxRegistersPerMultiprocessor,     kRegisters               },
    {cudaDevAttrManagedMemory,                     1                        },
    {cudaDevAttrSingleToDoublePrecisionPerfRatio,  2                        },
    {cudaDevAttrComputePreemptionSupported,        1                        },
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1                        },
    {cudaDevAttrCooperativeLaunch,                 1                        },
    {kVirtualMemory,                               1                        },
    {kCompression,                                 1                        },
    {cudaDevAttrMaxSharedMemoryPerBlockOptin,      kSharedOptin             },
    {cudaDevAttrHostRegisterSupported,             1                        },
    {cudaDevAttrMaxBlocksPerMultiprocessor,        kBlocksPerMultiprocessor },
    {cudaDevAttrReservedSharedMemoryPerBlock,      kReserved                },
    {cudaDevAttrMaxPersistingL2CacheSize,          kPersisting              },
    {cudaDevAttrMaxAccessPolicyWindowSize,         kWindow                  },
    {cudaDevAttrMemoryPoolsSupported,              1                        },
    {cudaDevAttrMemoryPoolSupportedHandleTypes,    kDescriptors             },
    {cudaDevAttrIpcEventSupport,                   1                        },
    {kDescriptorsSupported,                        1                        },
};

int attribute(cudaDeviceAttr which) {
    for (const Attribute& a : kAttributes)
        if (a.which == which) return a.value;
    return 0;
}

void fill_limits(cudaDeviceProp& p) {
    p.totalGlobalMem = wl::runtime::kDeviceBytes;
    p.sharedMemPerBlock = kSharedBlock, p.sharedMemPerBlockOptin = kSharedOptin;
    p.sharedMemPerMultiprocessor = kSharedMultiprocessor, p.reservedSharedMemPerBlock = kReserved;
    p.regsPerBlock = p.regsPerMultiprocessor = kRegisters;
    p.warpSize = kWarps, p.maxThreadsPerBlock = kThreads, p.memPitch = kGrid;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = kThreads, p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = kGrid, p.maxGridSize[1] = p.maxGridSize[2] = kGridYz;
    p.totalConstMem = kConstant, p.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
    p.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
}

void fill_textures(cudaDeviceProp& p) {
    p.textureAlignment = p.surfaceAlignment = kAlign, p.texturePitchAlignment = 32;
    p.maxTexture1D = p.maxTexture2D[0] = kTexture, p.maxTexture2D[1] = 65536;
    for (int& extent : p.maxTexture3D) extent = kTexture3d;
    p.maxTexture2DLinear[0] = p.maxTexture2DLinear[2] = kTexture, p.maxTexture2DLinear[1] = 65000;
    p.maxTextureCubemap = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
    p.maxTexture2DLayered[2] = kLayers;
}

constexpr char kBusId[] = "0000:00:00.0";
constexpr size_t kMostStack = 512 << 10;  // bytes of a thread
// cudaDevAttrOnlyPartialHostNativeAtomicSupported, the last one of CUDA 13.
constexpr auto kLastAttribute = static_cast<cudaDeviceAttr>(cudaDevAttrMax - 1);

bool is_limit(cudaLimit limit) {
    return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

// A device that there is not.
cudaError_t refuse_device(int device) {
    const Call call = begin_without_looking();
    if (call.machine.unsupported.insert("device").second)
        wl::runtime::tell_note(
            call.machine, "the program asks for device " + std::to_string(device) + "; there is one, device 0"
        );
    return done(cudaErrorInvalidDevice);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    note_use(true);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    const Call call = begin_without_looking();  // from here on the thread has a context
    return device == 0 ? cudaSuccess : refuse_device(device);
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return (flags & ~unsigned{cudaDeviceMask}) != 0 ? done(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = 0;
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
    if (device != 0) return refuse_device(device);
    cudaDeviceProp& p = *out;
    std::memset(&p, 0, sizeof p);
    std::strncpy(p.name, "WarpLens emulator", sizeof p.name - 1);
    fill_limits(p);
    fill_textures(p);
    p.major = kMajor, p.minor = kMinor, p.multiProcessorCount = kMultiprocessors;
    p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = p.managedMemory = p.cooperativeLaunch = 1;
    p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = p.memoryPoolsSupported =
        p.ipcEventSupported = 1;
    p.memoryPoolSupportedHandleTypes = kDescriptors;
    p.computePreemptionSupported = 1;
    p.asyncEngineCount = 2, p.memoryBusWidth = kBus, p.l2CacheSize = kL2;
    p.persistingL2CacheMaxSize = kPersisting, p.accessPolicyMaxWindowSize = kWindow;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
    if (device != 0) return refuse_device(device);
    if (which <= 0 || which > kLastAttribute) return done(cudaErrorInvalidValue);
    *value = attribute(which);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    note_use(true);
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = kVersion;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    if (device != 0) return refuse_device(device);
    if (text == nullptr || length < static_cast<int>(sizeof kBusId) ||
        !wl::runtime::write_host(text, kBusId, sizeof kBusId))
        return done(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    unsigned domain = 0, bus = 0, slot = 0;
    const bool is_id =
        std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3 || std::sscanf(id, "%x:%x", &bus, &slot) == 2;
    if (!is_id || domain != 0 || bus != 0 || slot != 0) return done(cudaErrorInvalidValue);
    return cudaGetDevice(device);
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (device != 0 || peer != 0) return refuse_device(device != 0 ? device : peer);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned) {
    return device == 0 ? done(cudaErrorPeerAccessUnsupported) : refuse_device(device);
}
cudaError_t cudaDeviceDisablePeerAccess(int device) {
    return device == 0 ? done(cudaErrorPeerAccessNotEnabled) : refuse_device(device);
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    const Call call = begin_without_looking();
    constexpr size_t kHeap = 8 << 20, kPrintf = 1 << 20;
    if (!is_limit(limit)) return done(cudaErrorInvalidValue);
    *value = limit == cudaLimitStackSize   ? call.machine.stack_bytes
        : limit == cudaLimitPrintfFifoSize ? kPrintf
                                           : kHeap;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    const Call call = begin_without_looking();
    if (!is_limit(limit)) return done(cudaErrorInvalidValue);
    if (limit == cudaLimitStackSize && value > kMostStack) return done(cudaErrorInvalidValue);
    if (limit == cudaLimitStackSize) call.machine.stack_bytes = static_cast<uint32_t>(value);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    const bool known = config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual;
    return known ? cudaSuccess : done(cudaErrorInvalidValue);
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
}
