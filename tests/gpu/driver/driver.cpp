// libcuda.so.1 for machines without a GPU: as much of the driver as the program opens (instrumentation/gpu/
// driver.h), over one emulated device, so that all that lies above the driver is tested as it runs on a GPU.
//   WL_DEVICE_SCHEDULE=N  launch k runs in the order of schedule N + k
//   WL_DEVICE_ENDLESS=A   a kernel with A in its module's text never ends
//   WL_DEVICE_CHANGE=A=B  in the text of every module A becomes B: a device that computes otherwise
#include "instrumentation/emulator/run.h"
#include "instrumentation/execution/executor.h"
#include "tests/gpu/driver/machine.h"

#include <cuda.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace wl;
using namespace wl::emulated;
using Kind = execution::Incident::Kind;

constexpr size_t kMostBytes = 64 << 20;  // of one allocation

std::string changed(std::string text) {
    const char* const asked = std::getenv("WL_DEVICE_CHANGE");
    if (asked == nullptr) return text;
    const std::string words = asked, from = words.substr(0, words.find('=')),
                      to = words.substr(from.size() + 1);
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

void forget(const std::string& name) {
    std::erase_if(machine().memory.allocations, [&](const execution::Allocation& a) {
        return a.name == name;
    });
}

void forget_variables(const ptx::Module& module) {
    for (const ptx::Variable& v : module.variables)
        if (v.space == ptx::Space::global) forget(v.name);
}

CUresult status_of(const execution::RunResult& result) {
    for (const execution::Incident& i : result.incidents) {
        switch (i.kind) {
            case Kind::out_of_bounds: return CUDA_ERROR_ILLEGAL_ADDRESS;
            case Kind::misaligned: return CUDA_ERROR_MISALIGNED_ADDRESS;
            case Kind::trap: return CUDA_ERROR_LAUNCH_FAILED;
            case Kind::assertion: return CUDA_ERROR_ASSERT;
            case Kind::deadlock:
            case Kind::endless_loop: return CUDA_ERROR_LAUNCH_TIMEOUT;
            default: break;
        }
    }
    return CUDA_SUCCESS;
}

std::vector<std::byte> packed(const ptx::Function& entry, void** arguments) {
    std::vector<std::byte> out;
    size_t k = 0;
    for (const ptx::Variable& p : entry.params) {
        out.resize((out.size() + p.align - 1) / p.align * p.align + p.bytes);
        std::memcpy(out.data() + out.size() - p.bytes, arguments[k++], p.bytes);
    }
    return out;
}

// At once, or when the graph that is on its way is launched.
CUresult later_or_now(std::function<CUresult()> work) {
    if (machine().recorded == nullptr) return work();
    machine().recorded->push_back(std::move(work));
    return CUDA_SUCCESS;
}

CUresult run(const Function& f, const execution::Launch& launch) {
    Machine& m = machine();
    if (m.status != CUDA_SUCCESS) return m.status;
    execution::RunOptions options;
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    options.threads = 1, options.marks = false;  // comments
    if (const char* const schedule = std::getenv("WL_DEVICE_SCHEDULE"))
        options.schedule_seed = std::strtoull(schedule, nullptr, 10) + m.launches;
    ++m.launches;
    while (f.module->endless) std::this_thread::sleep_for(std::chrono::hours(1));
    const execution::RunResult result = f.executable.run(launch, m.memory, options);
    for (const execution::Printed& p : result.printed) std::fputs(p.text.c_str(), stdout);
    m.status = status_of(result);
    return CUDA_SUCCESS;
}

CUresult launch(CUfunction function, execution::Launch launch, void** arguments) {
    const Function& f = *reinterpret_cast<Function*>(function);
    launch.params = packed(ptx::entry_of(f.module->ptx, f.name), arguments);
    return later_or_now([&f, launch] { return run(f, launch); });
}

// A device that takes its time over what is put into streams: a benchmark warms up by one launch.
constexpr float kStreamMilliseconds = 1000;
struct Event {
    bool of_stream = false;
};

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
// NVRTC asks for tables of its own, and goes on without.
CUresult cuGetExportTable(const void** out, const CUuuid*) {
    *out = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}
CUresult cuGetErrorName(CUresult error, const char** out) {
    *out = error == CUDA_SUCCESS              ? "CUDA_SUCCESS"
        : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                              : "CUDA_ERROR";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** out) {
    *out = "of the emulated device";
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* out) {
    *out = 13000;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* out) {
    const char* const count = std::getenv("EMULATED_DEVICES");
    *out = count != nullptr ? std::atoi(count) : 1;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* out, int index) {
    int count = 0;
    cuDeviceGetCount(&count);
    *out = index;
    return index >= 0 && index < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* out, int size, CUdevice) {
    std::snprintf(out, static_cast<size_t>(size), "emulated device");
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* out, CUdevice_attribute which, CUdevice) {
    *out = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR      ? 9
        : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT           ? 1
        : which == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR ? 2048
                                                                      : 0;
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t* out, CUdevice) {
    *out = size_t{1} << 30;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice) {
    *out = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return machine().status; }
CUresult cuCtxSetLimit(CUlimit, size_t) { return CUDA_SUCCESS; }

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned, CUjit_option*, void**) {
    try {
        const std::string text = static_cast<const char*>(image);
        const char* const endless = std::getenv("WL_DEVICE_ENDLESS");
        auto* const made = new Module{
            ptx::parse(changed(text)), {}, endless != nullptr && text.find(endless) != std::string::npos};
        forget_variables(made->ptx);
        *out = reinterpret_cast<CUmodule>(made);
    } catch (const std::exception&) { return CUDA_ERROR_INVALID_PTX; }
    return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
    auto* const made = reinterpret_cast<Module*>(module);
    forget_variables(made->ptx);
    delete made;
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
    auto* const made = reinterpret_cast<Module*>(module);
    try {
        auto& function = made->functions[name];
        if (function == nullptr)
            function = std::make_unique<Function>(Function{
                name, emulator::executor().prepare(made->ptx, name), made});
        *out = reinterpret_cast<CUfunction>(function.get());
    } catch (const std::exception&) { return CUDA_ERROR_NO_BINARY_FOR_GPU; }
    return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr* out, size_t* bytes, CUmodule module, const char* name) {
    for (const ptx::Variable& v : reinterpret_cast<Module*>(module)->ptx.variables) {
        if (v.name != name) continue;
        if (execution::find_named(machine().memory, name) == nullptr)
            execution::allocate(machine().memory, name, std::vector<std::byte>(v.bytes));
        *out = execution::find_named(machine().memory, name)->base;
        if (bytes != nullptr) *bytes = v.bytes;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
    if (bytes > kMostBytes) return CUDA_ERROR_OUT_OF_MEMORY;
    Machine& m = machine();
    *out = execution::allocate(
        m.memory, "device " + std::to_string(m.allocations++), std::vector<std::byte>(bytes)
    );
    return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
    std::erase_if(machine().memory.allocations, [&](const execution::Allocation& a) {
        return a.base == address;
    });
    return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned) {
    CUdeviceptr address = 0;
    if (const CUresult status = cuMemAlloc(&address, bytes); status != CUDA_SUCCESS) return status;
    *out = at(address, bytes);
    machine().pinned[*out] = address;
    return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* place) { return cuMemFree(machine().pinned.at(place)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* place, unsigned) {
    *out = machine().pinned.at(place);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    std::byte* const place = at(to, bytes);
    if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(place, from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    const std::byte* const place = at(from, bytes);
    if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(to, place, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t bytes) {
    std::byte* const place = at(to, bytes);
    if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(place, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* out, CUfunction_attribute, CUfunction) {
    *out = 0;
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
// NOLINTBEGIN(readability-function-size): the driver's own parameters
CUresult
cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream, void** arguments, void**) {
    execution::Launch made;
    made.grid = {gx, gy, gz}, made.block = {bx, by, bz}, made.dynamic_shared = shared;
    return launch(f, made, arguments);
}
CUresult cuLaunchCooperativeKernel(
    CUfunction f,
    unsigned gx,
    unsigned gy,
    unsigned gz,
    unsigned bx,
    unsigned by,
    unsigned bz,
    unsigned shared,
    CUstream,
    void** arguments
) {
    execution::Launch made;
    made.grid = {gx, gy, gz}, made.block = {bx, by, bz}, made.dynamic_shared = shared;
    made.cooperative = true;
    return launch(f, made, arguments);
}
// NOLINTEND(readability-function-size)

CUresult cuEventCreate(CUevent* out, unsigned) {
    *out = reinterpret_cast<CUevent>(new Event);
    return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    reinterpret_cast<Event*>(event)->of_stream = stream != nullptr;
    return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent) { return machine().status; }
#undef cuEventElapsedTime
// NOLINTNEXTLINE(readability-identifier-naming): the driver's own name
CUresult cuEventElapsedTime(float* out, CUevent begin, CUevent) {
    *out = reinterpret_cast<Event*>(begin)->of_stream ? kStreamMilliseconds : 1;
    return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
    delete reinterpret_cast<Event*>(event);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream) {
    return later_or_now([=] { return cuMemsetD8(to, value, bytes); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
    return later_or_now([=] {
        std::byte *const target = at(to, bytes), *const source = at(from, bytes);
        if (target == nullptr || source == nullptr) return CUDA_ERROR_INVALID_VALUE;
        std::memcpy(target, source, bytes);
        return CUDA_SUCCESS;
    });
}
CUresult cuStreamCreate(CUstream* out, unsigned) {
    *out = reinterpret_cast<CUstream>(&machine());
    return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }

CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
    machine().recorded = new Graph;
    return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph* out) {
    *out = reinterpret_cast<CUgraph>(machine().recorded);
    machine().recorded = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long) {
    *out = reinterpret_cast<CUgraphExec>(graph);
    return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream) {
    for (const auto& work : *reinterpret_cast<Graph*>(graph))
        if (const CUresult status = work(); status != CUDA_SUCCESS) return status;
    return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
    delete reinterpret_cast<Graph*>(graph);
    return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, CUfunction, int, size_t) {
    *out = 1;
    return CUDA_SUCCESS;
}

}  // extern "C"
