// A program of the driver API that manages virtual memory: two pieces of memory side by side, one by each
// word of the command line.
#include <cuda.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr size_t kPiece = 2 << 20;
constexpr unsigned kN = 256;

// a[i] *= 2
const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 a)
{
    .reg .b32 %r<2>;
    .reg .b64 %p<4>;
    .reg .f32 %f<2>;
    ld.param.u64 %p1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p3, %p1, %p2;
    ld.global.f32 %f1, [%p3];
    add.f32 %f1, %f1, %f1;
    st.global.f32 [%p3], %f1;
    ret;
}
)";

const char* name_of(CUresult result) {
    const char* name = "no error of the driver's";
    cuGetErrorName(result, &name);
    return name;
}

struct Mapped {
    CUmemAllocationProp prop = {};
    CUmemAccessDesc access = {};
    CUdeviceptr base = 0;
    CUmemGenericAllocationHandle pieces[2] = {};
};

Mapped mapped() {
    Mapped m;
    m.prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    m.prop.location.type = m.access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    m.access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    size_t granularity = 0;
    cuMemGetAllocationGranularity(&granularity, &m.prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    printf("%s\n", granularity != 0 && kPiece % granularity == 0 ? "pieces" : "no pieces");
    cuMemAddressReserve(&m.base, 2 * kPiece, 0, 0, 0);
    for (size_t k = 0; k < 2; ++k) {
        cuMemCreate(&m.pieces[k], kPiece, &m.prop, 0);
        cuMemMap(m.base + k * kPiece, kPiece, 0, m.pieces[k], 0);
    }
    printf("%s\n", name_of(cuMemSetAccess(m.base, 2 * kPiece, &m.access, 1)));
    return m;
}

CUresult launch(CUfunction twice, CUdeviceptr a) {
    void* args[] = {&a};
    const CUresult launched = cuLaunchKernel(twice, 1, 1, 1, kN, 1, 1, 0, nullptr, args, nullptr);
    return launched == CUDA_SUCCESS ? cuCtxSynchronize() : launched;
}

// Half of what kernel and copies reach lies in each piece.
float sum_at(CUdeviceptr a) {
    std::vector<float> host(kN);
    cuMemcpyDtoH(host.data(), a, kN * sizeof(float));
    float sum = 0;
    for (const float x : host) sum += x;
    return sum;
}

void side_by_side(CUfunction twice) {
    const Mapped m = mapped();
    const CUdeviceptr a = m.base + kPiece - kN / 2 * sizeof(float);
    cuMemsetD32(a, 0x3f800000, kN);
    printf("%s\n", name_of(launch(twice, a)));
    printf("%g\n", sum_at(a));
    // What a piece holds goes with it, to where it is mapped next.
    cuMemUnmap(m.base, 2 * kPiece);
    cuMemMap(m.base + kPiece, kPiece, 0, m.pieces[0], 0);
    cuMemSetAccess(m.base + kPiece, kPiece, &m.access, 1);
    float last = 0;
    cuMemcpyDtoH(&last, m.base + 2 * kPiece - sizeof last, sizeof last);
    printf("%g\n", last);
    for (const auto piece : m.pieces) cuMemRelease(piece);
    const CUresult early = cuMemAddressFree(m.base, 2 * kPiece);
    cuMemUnmap(m.base + kPiece, kPiece);
    printf("%s %s\n", name_of(early), name_of(cuMemAddressFree(m.base, 2 * kPiece)));
}

void unmapped(CUfunction twice) {
    const Mapped m = mapped();
    cuMemsetD32(m.base, 0x3f800000, kN);
    cuMemUnmap(m.base, kPiece);
    launch(twice, m.base);
}

void refused() {
    const Mapped m = mapped();
    CUmemGenericAllocationHandle other = 0;
    CUmemAllocationProp shared = m.prop;
    shared.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    cuMemCreate(&other, kPiece, &m.prop, 0);
    printf("%s ", name_of(cuMemCreate(&other, 4096, &m.prop, 0)));
    printf("%s ", name_of(cuMemCreate(&other, kPiece, &shared, 0)));
    printf("%s ", name_of(cuMemMap(m.base, kPiece, 0, other, 0)));
    printf("%s ", name_of(cuMemMap(m.base, kPiece, 0, m.pieces[1], 0)));
    printf("%s\n", name_of(cuMemUnmap(m.base, kPiece / 2)));
}

}  // namespace

int main(int count, char** words) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    const std::string what = count > 1 ? words[1] : "";
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction twice = nullptr;
    int supported = 0;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, nullptr, 0, device);
    cuModuleLoadData(&module, kPtx);
    cuModuleGetFunction(&twice, module, "twice");
    cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
    printf("%s, ", supported != 0 ? "supported" : "not supported");
    if (what == "side by side") side_by_side(twice);
    if (what == "unmapped") unmapped(twice);
    if (what == "refused") refused();
    return 0;
}
