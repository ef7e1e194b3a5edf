// The driver API: modules, functions, launches, streams, events, arrays, linking, words of errors.
#include "table.h"

namespace wild {
namespace {

unsigned flags = 0;
int number = 0;
size_t bytes = 0;
float time = 0;
void* out = nullptr;
CUmodule code = nullptr;
CUfunction called = nullptr;
CUdeviceptr made = 0;
CUstream queue = nullptr;
CUevent mark = nullptr;
CUarray data = nullptr;
CUlibrary library = nullptr;
CUkernel known = nullptr;
CUlinkState link = nullptr;

#define DRIVER(name, ...) ROW(name, context(); say(__VA_ARGS__))

DRIVER("cuModuleLoadData null", cuModuleLoadData(nullptr, kText))
DRIVER("cuModuleLoadData of null", cuModuleLoadData(&code, nullptr))
DRIVER("cuModuleLoadData wild", cuModuleLoadData(&code, nowhere()))
DRIVER("cuModuleLoadData no text", cuModuleLoadData(&code, ""))
DRIVER("cuModuleLoadData nonsense", cuModuleLoadData(&code, "what is this"))
DRIVER(
    "cuModuleLoadData half a text",
    cuModuleLoadData(&code, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f(")
)
DRIVER("cuModuleLoadData an empty ELF file", [] {
    static const char elf[512] = "\177ELF\2\1\1";
    return cuModuleLoadData(&code, elf);
}())
DRIVER("cuModuleLoadDataEx null options", cuModuleLoadDataEx(&code, kText, 2, nullptr, nullptr))
DRIVER("cuModuleLoadDataEx option", [] {
    CUjit_option o = static_cast<CUjit_option>(999);
    void* v = nullptr;
    return cuModuleLoadDataEx(&code, kText, 1, &o, &v);
}())
DRIVER("cuModuleLoad null", cuModuleLoad(&code, nullptr))
DRIVER("cuModuleLoad no file", cuModuleLoad(&code, "/nowhere/at/all.ptx"))
DRIVER("cuModuleLoad a folder", cuModuleLoad(&code, "/"))
DRIVER("cuModuleUnload null", cuModuleUnload(nullptr))
DRIVER("cuModuleUnload wild", cuModuleUnload(nowhere<CUmodule>()))
DRIVER("cuModuleUnload twice", cuModuleUnload(unloaded_module()))
DRIVER("cuModuleGetFunction null", cuModuleGetFunction(nullptr, module_of_text(), "fill"))
DRIVER("cuModuleGetFunction null name", cuModuleGetFunction(&called, module_of_text(), nullptr))
DRIVER("cuModuleGetFunction no such name", cuModuleGetFunction(&called, module_of_text(), "full"))
DRIVER("cuModuleGetFunction null module", cuModuleGetFunction(&called, nullptr, "fill"))
DRIVER("cuModuleGetFunction wild module", cuModuleGetFunction(&called, nowhere<CUmodule>(), "fill"))
DRIVER("cuModuleGetFunction unloaded", cuModuleGetFunction(&called, unloaded_module(), "fill"))
DRIVER("cuModuleGetGlobal", cuModuleGetGlobal(&made, &bytes, module_of_text(), "word"))
DRIVER("cuModuleGetGlobal nulls", cuModuleGetGlobal(nullptr, nullptr, module_of_text(), "word"))
DRIVER("cuModuleGetGlobal no such name", cuModuleGetGlobal(&made, &bytes, module_of_text(), "nothing"))
DRIVER("cuModuleGetGlobal null name", cuModuleGetGlobal(&made, &bytes, module_of_text(), nullptr))
DRIVER("cuModuleGetFunctionCount null", cuModuleGetFunctionCount(nullptr, module_of_text()))
DRIVER("cuModuleEnumerateFunctions null", cuModuleEnumerateFunctions(nullptr, 1, module_of_text()))
DRIVER("cuFuncGetAttribute null", cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, function()))
DRIVER("cuFuncGetAttribute of null", cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr))
DRIVER(
    "cuFuncGetAttribute wild", cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, nowhere<CUfunction>())
)
DRIVER(
    "cuFuncGetAttribute word", cuFuncGetAttribute(&number, static_cast<CUfunction_attribute>(99), function())
)
DRIVER(
    "cuFuncSetAttribute of null",
    cuFuncSetAttribute(nullptr, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64)
)
DRIVER("cuFuncSetAttribute word", cuFuncSetAttribute(function(), static_cast<CUfunction_attribute>(99), 64))
DRIVER(
    "cuFuncSetAttribute -1",
    cuFuncSetAttribute(function(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1)
)
DRIVER("cuFuncSetAttribute registers", cuFuncSetAttribute(function(), CU_FUNC_ATTRIBUTE_NUM_REGS, 8))
DRIVER("cuFuncSetCacheConfig of null", cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1))
DRIVER("cuFuncGetName null", cuFuncGetName(nullptr, function()))
DRIVER("cuFuncGetModule null", cuFuncGetModule(nullptr, function()))
DRIVER("cuFuncGetModule of null", cuFuncGetModule(&code, nullptr))

CUresult launch(CUfunction f, unsigned grid, unsigned block, unsigned shared = 0, CUstream s = nullptr) {
    CUdeviceptr p = memory_of_driver();
    unsigned value = 3;
    void* args[] = {&p, &value};
    const CUresult error = cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, s, args, nullptr);
    return error != CUDA_SUCCESS ? error : cuCtxSynchronize();
}
DRIVER("cuLaunchKernel", launch(function(), 1, 1))
DRIVER("cuLaunchKernel of null", launch(nullptr, 1, 1))
DRIVER("cuLaunchKernel wild", launch(nowhere<CUfunction>(), 1, 1))
DRIVER("cuLaunchKernel no blocks", launch(function(), 0, 1))
DRIVER("cuLaunchKernel no threads", launch(function(), 1, 0))
DRIVER("cuLaunchKernel 2048 threads", launch(function(), 1, 2048))
DRIVER("cuLaunchKernel 1 MiB of shared memory", launch(function(), 1, 1, 1 << 20))
DRIVER("cuLaunchKernel wild stream", launch(function(), 1, 1, 0, nowhere<CUstream>()))
DRIVER("cuLaunchKernel destroyed stream", launch(function(), 1, 1, 0, destroyed_stream()))
DRIVER(
    "cuLaunchKernel null arguments",
    cuLaunchKernel(function(), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr)
)
DRIVER(
    "cuLaunchKernel wild arguments",
    cuLaunchKernel(function(), 1, 1, 1, 1, 1, 1, 0, nullptr, nowhere<void**>(), nullptr)
)
DRIVER("cuLaunchKernel of an unloaded module", [] {
    CUmodule m = module_of_text();
    cuModuleGetFunction(&called, m, "fill");
    cuModuleUnload(m);
    return launch(called, 1, 1);
}())
DRIVER("cuLaunchKernel both kinds of arguments", [] {
    CUdeviceptr p = memory_of_driver();
    unsigned v = 3;
    void* args[] = {&p, &v};
    void* extra[] = {CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(function(), 1, 1, 1, 1, 1, 1, 0, nullptr, args, extra);
}())
DRIVER("cuLaunchKernel a buffer that is short", [] {
    char b[4] = {};
    size_t n = 4;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, b, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(function(), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
}())
DRIVER("cuLaunchKernel a null buffer", [] {
    size_t n = 16;
    void* extra[] = {
        CU_LAUNCH_PARAM_BUFFER_POINTER, nullptr, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(function(), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
}())
DRIVER("cuLaunchKernelEx null", cuLaunchKernelEx(nullptr, function(), nullptr, nullptr))
DRIVER(
    "cuLaunchCooperativeKernel of null",
    cuLaunchCooperativeKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr)
)
DRIVER(
    "cuOccupancyMaxActiveBlocksPerMultiprocessor null",
    cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function(), 64, 0)
)
DRIVER(
    "cuOccupancyMaxActiveBlocksPerMultiprocessor of null",
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, nullptr, 64, 0)
)
DRIVER(
    "cuOccupancyMaxActiveBlocksPerMultiprocessor no threads",
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, function(), 0, 0)
)
DRIVER(
    "cuOccupancyMaxPotentialBlockSize nulls",
    cuOccupancyMaxPotentialBlockSize(nullptr, nullptr, function(), nullptr, 0, 0)
)

DRIVER(
    "cuLibraryLoadData of null",
    cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0)
)
DRIVER(
    "cuLibraryLoadData nonsense",
    cuLibraryLoadData(&library, "what is this", nullptr, nullptr, 0, nullptr, nullptr, 0)
)
DRIVER("cuLibraryUnload null", cuLibraryUnload(nullptr))
DRIVER("cuLibraryUnload wild", cuLibraryUnload(nowhere<CUlibrary>()))
DRIVER("cuLibraryGetKernel wild", cuLibraryGetKernel(&known, nowhere<CUlibrary>(), "fill"))
DRIVER("cuLibraryGetKernel null", cuLibraryGetKernel(&known, nullptr, "fill"))
DRIVER("cuLibraryGetModule null", cuLibraryGetModule(&code, nullptr))
DRIVER("cuLibraryGetKernelCount null", cuLibraryGetKernelCount(&flags, nullptr))
DRIVER("cuKernelGetFunction null", cuKernelGetFunction(&called, nullptr))
DRIVER("cuKernelGetFunction wild", cuKernelGetFunction(&called, nowhere<CUkernel>()))

DRIVER("cuStreamCreate null", cuStreamCreate(nullptr, 0))
DRIVER("cuStreamCreate flags", cuStreamCreate(&queue, 0x40))
DRIVER("cuStreamDestroy null", cuStreamDestroy(nullptr))
DRIVER("cuStreamDestroy wild", cuStreamDestroy(nowhere<CUstream>()))
DRIVER("cuStreamDestroy twice", cuStreamDestroy(destroyed_stream()))
DRIVER("cuStreamSynchronize wild", cuStreamSynchronize(nowhere<CUstream>()))
DRIVER("cuStreamSynchronize destroyed", cuStreamSynchronize(destroyed_stream()))
DRIVER("cuStreamQuery destroyed", cuStreamQuery(destroyed_stream()))
DRIVER("cuStreamWaitEvent null", cuStreamWaitEvent(stream(), nullptr, 0))
DRIVER("cuStreamGetFlags null", cuStreamGetFlags(stream(), nullptr))
DRIVER("cuStreamGetCtx null", cuStreamGetCtx(stream(), nullptr))
DRIVER("cuStreamGetPriority null", cuStreamGetPriority(stream(), nullptr))
DRIVER("cuLaunchHostFunc null", cuLaunchHostFunc(stream(), nullptr, nullptr))
DRIVER("cuEventCreate null", cuEventCreate(nullptr, 0))
DRIVER("cuEventCreate flags", cuEventCreate(&mark, 0x80))
DRIVER("cuEventDestroy null", cuEventDestroy(nullptr))
DRIVER("cuEventDestroy wild", cuEventDestroy(nowhere<CUevent>()))
DRIVER("cuEventDestroy twice", cuEventDestroy(destroyed_event()))
DRIVER("cuEventRecord null", cuEventRecord(nullptr, nullptr))
DRIVER("cuEventRecord wild stream", cuEventRecord(event(), nowhere<CUstream>()))
DRIVER("cuEventQuery null", cuEventQuery(nullptr))
DRIVER("cuEventSynchronize null", cuEventSynchronize(nullptr))
DRIVER("cuEventElapsedTime null", cuEventElapsedTime(nullptr, event(), event()))
DRIVER("cuEventElapsedTime never recorded", cuEventElapsedTime(&time, event(), event()))

const CUDA_ARRAY_DESCRIPTOR kPlane{64, 16, CU_AD_FORMAT_FLOAT, 1};
DRIVER("cuArrayCreate null", cuArrayCreate(nullptr, &kPlane))
DRIVER("cuArrayCreate null description", cuArrayCreate(&data, nullptr))
ROW("cuArrayCreate nothing", context(); const CUDA_ARRAY_DESCRIPTOR d{}; say(cuArrayCreate(&data, &d)))
ROW("cuArrayCreate 3 channels", context(); const CUDA_ARRAY_DESCRIPTOR d{64, 16, CU_AD_FORMAT_FLOAT, 3};
    say(cuArrayCreate(&data, &d)))
ROW("cuArrayCreate format", context();
    const CUDA_ARRAY_DESCRIPTOR d{64, 16, static_cast<CUarray_format>(77), 1};
    say(cuArrayCreate(&data, &d)))
DRIVER("cuArrayDestroy null", cuArrayDestroy(nullptr))
DRIVER("cuArrayDestroy wild", cuArrayDestroy(nowhere<CUarray>()))
DRIVER("cuArrayDestroy twice", [] {
    cuArrayCreate(&data, &kPlane);
    cuArrayDestroy(data);
    return cuArrayDestroy(data);
}())
DRIVER("cuArrayGetDescriptor null", cuArrayGetDescriptor(nullptr, nullptr))
CUtexObject object = 0;
DRIVER("cuTexObjectCreate nulls", cuTexObjectCreate(nullptr, nullptr, nullptr, nullptr))
ROW("cuTexObjectCreate nothing said", context(); const CUDA_RESOURCE_DESC r{}; const CUDA_TEXTURE_DESC t{};
    say(cuTexObjectCreate(&object, &r, &t, nullptr)))
DRIVER("cuTexObjectDestroy 0", cuTexObjectDestroy(0))
DRIVER("cuTexObjectDestroy wild", cuTexObjectDestroy(kNowhere))
DRIVER("cuSurfObjectCreate nulls", cuSurfObjectCreate(nullptr, nullptr))
DRIVER("cuSurfObjectDestroy wild", cuSurfObjectDestroy(kNowhere))

DRIVER("cuLinkCreate null", cuLinkCreate(0, nullptr, nullptr, nullptr))
DRIVER("cuLinkCreate null options", cuLinkCreate(2, nullptr, nullptr, &link))
DRIVER("cuLinkAddData null", cuLinkAddData(nullptr, CU_JIT_INPUT_PTX, out, 4, "a", 0, nullptr, nullptr))
DRIVER("cuLinkAddData null data", [] {
    cuLinkCreate(0, nullptr, nullptr, &link);
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, nullptr, 4, "a", 0, nullptr, nullptr);
}())
DRIVER("cuLinkAddData nonsense", [] {
    cuLinkCreate(0, nullptr, nullptr, &link);
    static char text[] = "what is this";
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, text, sizeof text, "a", 0, nullptr, nullptr);
}())
DRIVER("cuLinkAddFile no file", [] {
    cuLinkCreate(0, nullptr, nullptr, &link);
    return cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nowhere/at/all.ptx", 0, nullptr, nullptr);
}())
DRIVER("cuLinkComplete nothing added", [] {
    cuLinkCreate(0, nullptr, nullptr, &link);
    return cuLinkComplete(link, &out, &bytes);
}())
DRIVER("cuLinkComplete null", cuLinkComplete(nullptr, &out, &bytes))
DRIVER("cuLinkDestroy null", cuLinkDestroy(nullptr))

const char* words = nullptr;
CALL("cuGetErrorName null", cuGetErrorName(CUDA_SUCCESS, nullptr))
CALL("cuGetErrorName 99999", cuGetErrorName(static_cast<CUresult>(99999), &words))
CALL("cuGetErrorString null", cuGetErrorString(CUDA_SUCCESS, nullptr))
CALL("cuGetErrorString -1", cuGetErrorString(static_cast<CUresult>(-1), &words))
DRIVER("cuGetProcAddress null", cuGetProcAddress(nullptr, &out, 13000, 0, nullptr))
DRIVER("cuGetProcAddress null out", cuGetProcAddress("cuMemAlloc", nullptr, 13000, 0, nullptr))
DRIVER("cuGetProcAddress no such name", cuGetProcAddress("cuNonsense", &out, 13000, 0, nullptr))
DRIVER("cuGetProcAddress old", cuGetProcAddress("cuGraphCreate", &out, 3000, 0, nullptr))
DRIVER("cuMemAllocAsync destroyed stream", cuMemAllocAsync(&made, 64, destroyed_stream()))
DRIVER("cuMemAllocFromPoolAsync null pool", cuMemAllocFromPoolAsync(&made, 64, nullptr, nullptr))
DRIVER("cuMemFreeAsync wild", cuMemFreeAsync(kNowhere, nullptr))
DRIVER("cuMemPoolCreate nulls", cuMemPoolCreate(nullptr, nullptr))
DRIVER("cuMemPoolDestroy null", cuMemPoolDestroy(nullptr))
DRIVER("cuIpcGetMemHandle null", cuIpcGetMemHandle(nullptr, memory_of_driver()))
DRIVER("cuGraphCreate null", cuGraphCreate(nullptr, 0))
DRIVER("cuGraphInstantiate of null", [] {
    CUgraphExec e;
    return cuGraphInstantiate(&e, nullptr, 0);
}())
DRIVER("cuGraphLaunch null", cuGraphLaunch(nullptr, nullptr))
DRIVER("cuGraphDestroy null", cuGraphDestroy(nullptr))
DRIVER("cuGraphExecDestroy null", cuGraphExecDestroy(nullptr))

}  // namespace
}  // namespace wild
