// The CUDA driver, opened at run time: one binary serves machines with and without a GPU.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::gpu {

// The oldest entry points that do what is needed here: every driver since CUDA 11 has them.
#define WL_DRIVER_FUNCTIONS(X)                                                    \
    X(init, cuInit, "cuInit")                                                     \
    X(error_name, cuGetErrorName, "cuGetErrorName")                               \
    X(error_text, cuGetErrorString, "cuGetErrorString")                           \
    X(version, cuDriverGetVersion, "cuDriverGetVersion")                          \
    X(device_count, cuDeviceGetCount, "cuDeviceGetCount")                         \
    X(device, cuDeviceGet, "cuDeviceGet")                                         \
    X(device_name, cuDeviceGetName, "cuDeviceGetName")                            \
    X(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")             \
    X(device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                     \
    X(retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")               \
    X(release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")         \
    X(set_current, cuCtxSetCurrent, "cuCtxSetCurrent")                            \
    X(synchronize, cuCtxSynchronize, "cuCtxSynchronize")                          \
    X(set_limit, cuCtxSetLimit, "cuCtxSetLimit")                                  \
    X(load, cuModuleLoadDataEx, "cuModuleLoadDataEx")                             \
    X(unload, cuModuleUnload, "cuModuleUnload")                                   \
    X(function, cuModuleGetFunction, "cuModuleGetFunction")                       \
    X(global, cuModuleGetGlobal, "cuModuleGetGlobal_v2")                          \
    X(allocate, cuMemAlloc, "cuMemAlloc_v2")                                      \
    X(free, cuMemFree, "cuMemFree_v2")                                            \
    X(host_allocate, cuMemHostAlloc, "cuMemHostAlloc")                            \
    X(host_free, cuMemFreeHost, "cuMemFreeHost")                                  \
    X(host_address, cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")    \
    X(upload, cuMemcpyHtoD, "cuMemcpyHtoD_v2")                                    \
    X(download, cuMemcpyDtoH, "cuMemcpyDtoH_v2")                                  \
    X(fill, cuMemsetD8, "cuMemsetD8_v2")                                          \
    X(function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute")               \
    X(set_function_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")           \
    X(launch, cuLaunchKernel, "cuLaunchKernel")                                   \
    X(launch_cooperative, cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel") \
    X(make_event, cuEventCreate, "cuEventCreate")                                 \
    X(record_event, cuEventRecord, "cuEventRecord")                               \
    X(query_event, cuEventQuery, "cuEventQuery")                                  \
    X(elapsed, cuEventElapsedTime, "cuEventElapsedTime")                          \
    X(destroy_event, cuEventDestroy, "cuEventDestroy_v2")                         \
    X(fill_later, cuMemsetD8Async, "cuMemsetD8Async")                             \
    X(copy, cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                            \
    X(make_stream, cuStreamCreate, "cuStreamCreate")                              \
    X(destroy_stream, cuStreamDestroy, "cuStreamDestroy_v2")                      \
    X(begin_capture, cuStreamBeginCapture, "cuStreamBeginCapture_v2")             \
    X(end_capture, cuStreamEndCapture, "cuStreamEndCapture")                      \
    X(instantiate, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")    \
    X(launch_graph, cuGraphLaunch, "cuGraphLaunch")                               \
    X(destroy_graph, cuGraphDestroy, "cuGraphDestroy")                            \
    X(destroy_instance, cuGraphExecDestroy, "cuGraphExecDestroy")                 \
    X(make_array, cuArray3DCreate, "cuArray3DCreate_v2")                          \
    X(destroy_array, cuArrayDestroy, "cuArrayDestroy")                            \
    X(copy_array, cuMemcpy3D, "cuMemcpy3D_v2")                                    \
    X(make_texture, cuTexObjectCreate, "cuTexObjectCreate")                       \
    X(destroy_texture, cuTexObjectDestroy, "cuTexObjectDestroy")                  \
    X(make_surface, cuSurfObjectCreate, "cuSurfObjectCreate")                     \
    X(destroy_surface, cuSurfObjectDestroy, "cuSurfObjectDestroy")                \
    X(resident_blocks,                                                            \
      cuOccupancyMaxActiveBlocksPerMultiprocessor,                                \
      "cuOccupancyMaxActiveBlocksPerMultiprocessor")

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member
#define WL_DRIVER_MEMBER(name, type, symbol) decltype(&(type)) name{};
    WL_DRIVER_FUNCTIONS(WL_DRIVER_MEMBER)
#undef WL_DRIVER_MEMBER
};

// What there is of GPUs.
struct Device {
    int index = 0;
    std::string name;    // "NVIDIA H200"
    int capability = 0;  // 90: 9.0
    int multiprocessors = 0;
    uint64_t memory = 0;  // bytes
    std::string pci;      // "0000:0c:00.0"
};
struct Devices {
    std::vector<Device> all;
    std::string driver;  // "580.65", as CUDA counts: the newest CUDA that it serves, "13.0"; empty: no driver
    std::string missing;  // why there is none, and what to do; empty: there is at least one
};
Devices devices();

// Opened once. Throws Unsupported, saying what is missing, where there is no driver or no GPU.
const Driver& driver();

// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
std::string describe(const Driver& d, CUresult status);

// Throws Error "<what>: <status>" unless the call succeeded.
void require(const Driver& d, CUresult status, const char* what);

}  // namespace wl::gpu
