// A program of the driver API whose kernel gets a tensor map by value and copies a tile of it.
#include <cuda.h>

#include <cstdio>
#include <vector>

namespace {

constexpr unsigned kWidth = 64, kHeight = 8, kBoxWidth = 16, kBoxHeight = 4;

// out = the box at (8, 2) of the map's tensor; one thread.
const char* const kPtx = R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out)
{
    .shared .align 128 .b8 s[256];
    .shared .align 8 .b64 bar;
    .reg .b64 %m, %o, %x;
    .reg .b32 %s, %b, %i, %w, %x0, %x1;
    .reg .pred %p;
    mov.b64 %m, map;
    cvta.param.u64 %m, %m;
    ld.param.u64 %o, [out];
    mov.u32 %s, s;
    mov.u32 %b, bar;
    mov.u32 %x0, 8;
    mov.u32 %x1, 2;
    mbarrier.init.shared.b64 [%b], 1;
    mbarrier.arrive.expect_tx.shared.b64 %x, [%b], 256;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%m, {%x0, %x1}], [%b];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%b], 0;
    @!%p bra WAIT;
    mov.u32 %i, 0;
NEXT:
    ld.shared.b32 %w, [%s];
    st.global.b32 [%o], %w;
    add.u32 %s, %s, 4;
    add.u64 %o, %o, 4;
    add.u32 %i, %i, 4;
    setp.lt.u32 %p, %i, 256;
    @%p bra NEXT;
    ret;
}
)";

const char* name_of(CUresult result) {
    const char* name = "no error of the driver's";
    cuGetErrorName(result, &name);
    return name;
}

CUresult encode(CUtensorMap* map, CUdeviceptr tensor, cuuint64_t stride, CUtensorMapInterleave interleave) {
    const cuuint64_t extents[] = {kWidth, kHeight}, strides[] = {stride};
    const cuuint32_t box[] = {kBoxWidth, kBoxHeight}, steps[] = {1, 1};
    return cuTensorMapEncodeTiled(
        map,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        2,
        reinterpret_cast<void*>(tensor),  // NOLINT(performance-no-int-to-ptr): as the driver's API has it
        extents,
        strides,
        box,
        steps,
        interleave,
        CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
    );
}

}  // namespace

int main() {
    cuInit(0);
    CUcontext context = nullptr;
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    CUmodule module = nullptr;
    CUfunction tile = nullptr;
    cuModuleLoadData(&module, kPtx);
    cuModuleGetFunction(&tile, module, "tile");
    std::vector<float> host(kWidth * kHeight);
    for (size_t k = 0; k < host.size(); ++k) host[k] = static_cast<float>(k);
    CUdeviceptr tensor = 0, out = 0;
    cuMemAlloc(&tensor, host.size() * sizeof(float));
    cuMemAlloc(&out, kBoxWidth * kBoxHeight * sizeof(float));
    cuMemcpyHtoD(tensor, host.data(), host.size() * sizeof(float));
    CUtensorMap map = {};
    printf("%s\n", name_of(encode(&map, tensor, kWidth * sizeof(float) + 4, CU_TENSOR_MAP_INTERLEAVE_NONE)));
    printf("%s\n", name_of(encode(&map, tensor, kWidth * sizeof(float), CU_TENSOR_MAP_INTERLEAVE_NONE)));
    void* args[] = {&map, &out};
    printf("%s\n", name_of(cuLaunchKernel(tile, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr)));
    printf("%s\n", name_of(cuCtxSynchronize()));
    std::vector<float> got(kBoxWidth * kBoxHeight);
    cuMemcpyDtoH(got.data(), out, got.size() * sizeof(float));
    unsigned wrong = 0;
    for (unsigned y = 0; y < kBoxHeight; ++y)
        for (unsigned x = 0; x < kBoxWidth; ++x)
            wrong += got[y * kBoxWidth + x] != host[(y + 2) * kWidth + x + 8] ? 1 : 0;
    printf("%u wrong\n", wrong);
}
