// The one device, as the runtime describes it.
#include "instrumentation/runtime/host_access.h"
#include "shim/cuda/state.h"

#include <algorithm>
#include <cstring>

using namespace wl::cuda;

namespace {

// With the note of the runtime that there is one device.
CUresult checked(CUdevice device) {
    if (!initialised())
        return refuse(CUDA_ERROR_NOT_INITIALIZED, "the program asks the driver for a device before cuInit");
    return result_of(cudaSetDevice(device));
}

}  // namespace

extern "C" {

CUresult cuDeviceGetCount(int* count) {
    if (!initialised())
        return refuse(CUDA_ERROR_NOT_INITIALIZED, "the program asks the driver for a device before cuInit");
    return result_of(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    if (const CUresult no = checked(ordinal); no != CUDA_SUCCESS) return no;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    return result_of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(which), device));
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, device);
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // The room is not looked at below 0: it counts as unsigned.
    const size_t room =
        length == 0 ? 0 : std::min<size_t>(static_cast<unsigned>(length), sizeof properties.name);
    properties.name[room == 0 ? 0 : room - 1] = 0;
    const bool there =
        room == 0 || wl::runtime::write_host(name, properties.name, std::strlen(properties.name) + 1);
    return there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    *bytes = wl::runtime::kDeviceBytes;
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return result_of(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    constexpr char kUuid[sizeof uuid->bytes + 1] = "WarpLensEmulator";
    std::memcpy(uuid->bytes, kUuid, sizeof uuid->bytes);
    return CUDA_SUCCESS;
}
#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceGetProperties(CUdevprop* out, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, device);
    *out = {};
    out->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::copy(std::begin(p.maxThreadsDim), std::end(p.maxThreadsDim), out->maxThreadsDim);
    std::copy(std::begin(p.maxGridSize), std::end(p.maxGridSize), out->maxGridSize);
    out->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    out->totalConstantMemory = static_cast<int>(p.totalConstMem);
    out->SIMDWidth = p.warpSize, out->memPitch = static_cast<int>(p.memPitch);
    out->regsPerBlock = p.regsPerBlock, out->textureAlign = static_cast<int>(p.textureAlignment);
    return cuDeviceGetAttribute(&out->clockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
    if (const CUresult no = checked(device); no != CUDA_SUCCESS) return no;
    return result_of(cudaDeviceGetPCIBusId(text, length, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
    return result_of(cudaDeviceGetByPCIBusId(device, id));
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return result_of(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute, CUdevice, CUdevice) {
    *value = 0;
    return CUDA_SUCCESS;
}

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }
}
