// Programs of CUDA's driver API, one by each word of the command line.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr unsigned kN = 256;

// shift: a[i] = a[(i + 1) % 256] by shared memory; scale: a[i] *= factor; count_up: ++counter.
const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .const .align 4 .f32 factor = 0f40000000;
.visible .global .align 4 .u32 counter = 5;

.visible .entry shift(.param .u64 a)
{
    .reg .b32 %r<6>;
    .reg .b64 %p<4>;
    .reg .f32 %f<3>;
    .shared .align 4 .b8 held[1024];
    ld.param.u64 %p1, [a];
    cvta.to.global.u64 %p1, %p1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p3, %p1, %p2;
    ld.global.f32 %f1, [%p3];
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, held;
    add.u32 %r4, %r3, %r2;
    st.shared.f32 [%r4], %f1;
    @BARRIER@
    add.u32 %r2, %r2, 4;
    and.b32 %r2, %r2, 1023;
    add.u32 %r5, %r3, %r2;
    ld.shared.f32 %f2, [%r5];
    st.global.f32 [%p3], %f2;
    ret;
}

.visible .entry scale(.param .u64 a, .param .u32 n)
{
    .reg .b32 %r<3>;
    .reg .b64 %p<4>;
    .reg .f32 %f<4>;
    .reg .pred %q<2>;
    ld.param.u64 %p1, [a];
    ld.param.u32 %r2, [n];
    cvta.to.global.u64 %p1, %p1;
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %q1, %r1, %r2;
    @%q1 ret;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p3, %p1, %p2;
    ld.global.f32 %f1, [%p3];
    ld.const.f32 %f2, [factor];
    mul.f32 %f3, %f1, %f2;
    st.global.f32 [%p3], %f3;
    ret;
}

.visible .entry count_up()
{
    .reg .b32 %r<2>;
    ld.global.u32 %r1, [counter];
    add.u32 %r1, %r1, 1;
    st.global.u32 [counter], %r1;
    ret;
}
)";

std::string ptx(bool waits) {
    std::string text = kPtx;
    const std::string mark = "@BARRIER@";
    return text.replace(text.find(mark), mark.size(), waits ? "bar.sync 0;" : "");
}

const char* name_of(CUresult result) {
    const char* name = "no error of the driver's";
    cuGetErrorName(result, &name);
    return name;
}

void say(CUresult result) { printf("%s\n", name_of(result)); }

CUcontext context() {
    CUcontext made = nullptr;
    CUdevice device = 0;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&made, nullptr, 0, device);
    return made;
}

CUmodule module_of(bool waits = true) {
    CUmodule made = nullptr;
    cuModuleLoadData(&made, ptx(waits).c_str());
    return made;
}

CUfunction function_of(CUmodule module, const char* name) {
    CUfunction made = nullptr;
    cuModuleGetFunction(&made, module, name);
    return made;
}

CUdeviceptr filled(float value) {
    const std::vector<float> host(kN, value);
    CUdeviceptr device = 0;
    cuMemAlloc(&device, kN * sizeof(float));
    cuMemcpyHtoD(device, host.data(), kN * sizeof(float));
    return device;
}

float first_of(CUdeviceptr device) {
    float value = 0;
    cuMemcpyDtoH(&value, device, sizeof value);
    return value;
}

CUresult launch(CUfunction f, CUdeviceptr a, CUstream stream = nullptr) {
    unsigned n = kN;
    void* args[] = {&a, &n};
    return cuLaunchKernel(f, 1, 1, 1, kN, 1, 1, 0, stream, args, nullptr);
}

void shift(bool waits) {
    context();
    std::vector<float> host(kN);
    for (unsigned k = 0; k < kN; ++k) host[k] = static_cast<float>(k);
    const CUdeviceptr a = filled(0);
    cuMemcpyHtoD(a, host.data(), kN * sizeof(float));
    launch(function_of(module_of(waits), "shift"), a);
    say(cuCtxSynchronize());
    printf("%g\n", first_of(a));
}

void memory() {
    context();
    CUmodule module = module_of();
    CUdeviceptr factor = 0, counter = 0, managed = 0, rows = 0;
    size_t bytes = 0, pitch = 0;
    CUfunction scale = function_of(module, "scale"), count_up = function_of(module, "count_up");
    const CUdeviceptr a = filled(1);
    launch(scale, a);
    cuModuleGetGlobal(&factor, &bytes, module, "factor");
    const float three = 3;
    cuMemcpyHtoD(factor, &three, sizeof three);
    launch(scale, a);
    cuLaunchKernel(count_up, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
    cuModuleGetGlobal(&counter, nullptr, module, "counter");
    int counted = 0;
    cuMemcpyDtoH(&counted, counter, sizeof counted);
    float* pinned = nullptr;
    cuMemAllocHost(reinterpret_cast<void**>(&pinned), kN * sizeof(float));
    for (unsigned k = 0; k < kN; ++k) pinned[k] = 2;
    launch(scale, reinterpret_cast<CUdeviceptr>(pinned));
    cuMemAllocManaged(&managed, kN * sizeof(float), CU_MEM_ATTACH_GLOBAL);
    cuMemsetD32(managed, 0x40800000, kN);
    launch(scale, managed);
    cuCtxSynchronize();
    cuMemAllocPitch(&rows, &pitch, 8, 4, 4);
    cuMemsetD2D8(rows, pitch, 7, 8, 4);
    unsigned char read[2][4] = {};
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = rows, copy.srcPitch = pitch, copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = read, copy.dstPitch = sizeof read[0];
    copy.WidthInBytes = sizeof read[0], copy.Height = 2;
    cuMemcpy2D(&copy);
    printf("%g %d %g %g %d\n", first_of(a), counted, pinned[0], first_of(managed), read[1][3]);
}

// By a library, and parameters in one buffer.
void library() {
    context();
    CUlibrary made = nullptr;
    CUkernel kernel = nullptr;
    CUfunction f = nullptr;
    cuLibraryLoadData(&made, ptx(true).c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    cuLibraryGetKernel(&kernel, made, "scale");
    cuKernelGetFunction(&f, kernel);
    struct {
        CUdeviceptr a;
        unsigned n;
    } params{filled(5), kN};
    size_t bytes = 12;
    void* extra[] = {
        CU_LAUNCH_PARAM_BUFFER_POINTER, &params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = kN;
    say(cuLaunchKernelEx(&config, f, nullptr, extra));
    size_t offset = 0, size = 0;
    cuKernelGetParamInfo(kernel, 1, &offset, &size);
    int threads = 0;
    cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
    printf("%g %zu %zu %d\n", first_of(params.a), offset, size, threads);
}

// Names without a version's suffix give the newest form that a program of that version knows.
void addresses() {
    void *old = nullptr, *now = nullptr, *none = nullptr;
    CUdriverProcAddressQueryResult status{};
    cuGetProcAddress("cuMemAlloc", &now, 13000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    cuGetProcAddress("cuStreamGetCtx", &old, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    const CUresult absent = cuGetProcAddress("cuFoo", &none, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    printf(
        "%d %d ", now == reinterpret_cast<void*>(&cuMemAlloc), old == reinterpret_cast<void*>(&cuStreamGetCtx)
    );
    printf("%d %s ", status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, name_of(absent));
    cuGetProcAddress("cuMemCreate", &none, 9000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
    printf("%d\n", status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

void link() {
    context();
    CUlinkState state = nullptr;
    void* cubin = nullptr;
    size_t bytes = 0;
    std::string text = ptx(true);
    cuLinkCreate(0, nullptr, nullptr, &state);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "scale", 0, nullptr, nullptr);
    cuLinkComplete(state, &cubin, &bytes);
    CUmodule module = nullptr;
    cuModuleLoadDataEx(&module, cubin, 0, nullptr, nullptr);
    cuLinkDestroy(state);
    const CUdeviceptr a = filled(4);
    launch(function_of(module, "scale"), a);
    printf("%g\n", first_of(a));
    unsigned char machine_code[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7};
    cuLinkCreate(0, nullptr, nullptr, &state);
    cuLinkAddData(
        state, CU_JIT_INPUT_CUBIN, machine_code, sizeof machine_code, "a.cubin", 0, nullptr, nullptr
    );
    say(cuLinkComplete(state, &cubin, &bytes));
}

void graph() {
    context();
    CUfunction scale = function_of(module_of(), "scale");
    const CUdeviceptr a = filled(1);
    CUstream stream = nullptr;
    CUgraph captured = nullptr;
    CUgraphExec made = nullptr;
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    launch(scale, a, stream);
    cuStreamEndCapture(stream, &captured);
    cuGraphInstantiate(&made, captured, 0);
    printf("%g ", first_of(a));
    cuGraphLaunch(made, stream), cuGraphLaunch(made, stream);
    cuStreamSynchronize(stream);
    printf("%g\n", first_of(a));
}

void cubin() {
    context();
    unsigned char machine_code[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7};
    machine_code[18] = 190, machine_code[48] = 90;  // e_machine: CUDA; e_flags
    CUmodule module = nullptr;
    say(cuModuleLoadData(&module, machine_code));
}

void few() {
    context();
    CUfunction scale = function_of(module_of(), "scale");
    CUdeviceptr a = filled(1);
    size_t bytes = 8;
    void* extra[] = {
        CU_LAUNCH_PARAM_BUFFER_POINTER, &a, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    void* args[] = {&a, nullptr};
    say(cuLaunchKernel(scale, 1, 1, 1, kN, 1, 1, 0, nullptr, nullptr, nullptr));
    say(cuLaunchKernel(scale, 1, 1, 1, kN, 1, 1, 0, nullptr, nullptr, extra));
    say(cuLaunchKernel(scale, 1, 1, 1, kN, 1, 1, 0, nullptr, args, nullptr));
}

void freed() {
    context();
    CUfunction scale = function_of(module_of(), "scale");
    const CUdeviceptr a = filled(1);
    cuMemFree(a);
    launch(scale, a);
    float value = 0;
    say(cuMemcpyHtoD(a, &value, sizeof value));
    say(cuMemFree(a));
}

void destroyed() {
    CUcontext first = context();
    CUfunction scale = function_of(module_of(), "scale");
    const CUdeviceptr a = filled(1);
    cuCtxDestroy(first);
    say(launch(scale, a));
    cuCtxSetCurrent(first);
    say(launch(scale, a));
    say(cuCtxDestroy(first));
    context();
    launch(scale, a);  // memory of the context that is gone
}

void handles() {
    context();
    CUmodule module = module_of();
    CUfunction scale = function_of(module, "scale");
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUfunction none = nullptr;
    cuStreamCreate(&stream, 0), cuEventCreate(&event, 0);
    cuStreamDestroy(stream), cuEventDestroy(event);
    say(cuStreamSynchronize(stream));
    say(cuEventRecord(event, nullptr));
    say(launch(reinterpret_cast<CUfunction>(&none), 0));
    say(cuModuleGetFunction(&none, module, "no_such"));
    cuModuleUnload(module);
    say(launch(scale, filled(1)));
    say(cuModuleGetFunction(&none, module, "scale"));
    say(cuCtxSetCurrent(reinterpret_cast<CUcontext>(&none)));
}

void order() {
    CUdeviceptr a = 0;
    int count = 0;
    say(cuDeviceGetCount(&count));
    cuInit(0);
    say(cuMemAlloc(&a, 4));
    CUdevice device = 0;
    say(cuDeviceGet(&device, 1));
}

void missing() {
    context();
    CUmemGenericAllocationHandle handle = 0;
    const CUmulticastObjectProp several{};
    say(cuMulticastCreate(&handle, &several));
    const void* table = nullptr;
    CUuuid which{};
    say(cuGetExportTable(&table, &which));
}

void forked() {
    context();
    CUfunction scale = function_of(module_of(), "scale");
    const CUdeviceptr a = filled(1);
    launch(scale, a);
    const pid_t child = fork();
    if (child == 0) {
        launch(scale, a);
        printf("child %g\n", first_of(a));
        exit(0);
    }
    waitpid(child, nullptr, 0);
    printf("parent %g\n", first_of(a));
}

}  // namespace

int main(int count, char** words) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    const std::map<std::string, void (*)()> all = {
        {"wrong",     [] { shift(false); }},
        {"right",     [] { shift(true); } },
        {"memory",    memory              },
        {"library",   library             },
        {"addresses", addresses           },
        {"link",      link                },
        {"graph",     graph               },
        {"cubin",     cubin               },
        {"few",       few                 },
        {"freed",     freed               },
        {"destroyed", destroyed           },
        {"handles",   handles             },
        {"order",     order               },
        {"missing",   missing             },
        {"fork",      forked              }
    };
    const auto found = all.find(count > 1 ? words[1] : "");
    if (found == all.end()) return 2;
    found->second();
    return 0;
}
