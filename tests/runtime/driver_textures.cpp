// Arrays, textures and surfaces of the driver: an image of u8 x 4 is written to an array in parts, read by a
// texture as numbers from 0 to 1 and as they are, and written by a surface.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr unsigned kWidth = 8, kHeight = 4;

// read: out[y][x] = texel (x, y) times 255 as an integer, or as it is, its first channel in the lowest byte;
// write: texel (x, y) = x | y << 8.
const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry read_scaled(.param .u64 texture, .param .u64 out)
{
    .reg .b32 %r<12>;
    .reg .b64 %p<5>;
    .reg .f32 %f<9>;
    ld.param.u64 %p1, [texture];
    ld.param.u64 %p2, [out];
    cvta.to.global.u64 %p2, %p2;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f5, %r1;
    cvt.rn.f32.u32 %f6, %r2;
    tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%p1, {%f5, %f6}];
    mul.f32 %f1, %f1, 0f437F0000;
    mul.f32 %f2, %f2, 0f437F0000;
    cvt.rni.u32.f32 %r3, %f1;
    cvt.rni.u32.f32 %r4, %f2;
    shl.b32 %r4, %r4, 8;
    or.b32 %r3, %r3, %r4;
    mad.lo.u32 %r5, %r2, 8, %r1;
    mul.wide.u32 %p3, %r5, 4;
    add.s64 %p4, %p2, %p3;
    st.global.u32 [%p4], %r3;
    ret;
}
.visible .entry read(.param .u64 texture, .param .u64 out)
{
    .reg .b32 %r<12>;
    .reg .b64 %p<5>;
    ld.param.u64 %p1, [texture];
    ld.param.u64 %p2, [out];
    cvta.to.global.u64 %p2, %p2;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%p1, {%r1, %r2}];
    shl.b32 %r4, %r4, 8;
    or.b32 %r3, %r3, %r4;
    mad.lo.u32 %r7, %r2, 8, %r1;
    mul.wide.u32 %p3, %r7, 4;
    add.s64 %p4, %p2, %p3;
    st.global.u32 [%p4], %r3;
    ret;
}
.visible .entry write(.param .u64 surface)
{
    .reg .b32 %r<6>;
    .reg .b64 %p<3>;
    ld.param.u64 %p1, [surface];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    shl.b32 %r3, %r2, 8;
    or.b32 %r3, %r3, %r1;
    shl.b32 %r4, %r1, 2;
    sust.b.2d.b32.trap [%p1, {%r4, %r2}], {%r3};
    ret;
}
)";

void check(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    const char* name = "no error of the driver's";
    cuGetErrorName(result, &name);
    printf("%s ", name);
}

CUmodule module() {
    CUcontext made = nullptr;
    CUmodule out = nullptr;
    check(cuInit(0));
    check(cuCtxCreate(&made, nullptr, 0, 0));
    check(cuModuleLoadData(&out, kPtx));
    return out;
}

void launch(CUmodule module, const char* name, unsigned long long object, CUdeviceptr out) {
    CUfunction function = nullptr;
    check(cuModuleGetFunction(&function, module, name));
    void* args[] = {&object, &out};
    check(cuLaunchKernel(function, 1, 1, 1, kWidth, kHeight, 1, 0, nullptr, args, nullptr));
}

unsigned long long texture(CUarray array, unsigned flags) {
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC how = {};
    how.flags = flags;
    CUtexObject out = 0;
    check(cuTexObjectCreate(&out, &resource, &how, nullptr));
    return out;
}

// How many elements are what they should be.
int right(const std::vector<uint32_t>& got, uint32_t plus) {
    int count = 0;
    for (uint32_t y = 0; y < kHeight; ++y)
        for (uint32_t x = 0; x < kWidth; ++x) count += got[y * kWidth + x] == ((x + plus) | (y + plus) << 8);
    return count;
}

void images() {
    CUmod_st* const code = module();
    CUarray array = nullptr;
    const CUDA_ARRAY_DESCRIPTOR shape = {kWidth, kHeight, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    check(cuArrayCreate(&array, &shape));
    CUDA_ARRAY3D_DESCRIPTOR told;
    check(cuArray3DGetDescriptor(&told, array));
    printf("%zu x %zu, %u channels of format %d\n", told.Width, told.Height, told.NumChannels, told.Format);

    std::vector<uint32_t> image(kWidth * kHeight), got(kWidth * kHeight);
    for (uint32_t k = 0; k < image.size(); ++k) image[k] = (k % kWidth + 40) | (k / kWidth + 40) << 8;
    // The first row at once, the rest without its first column, and that.
    check(cuMemcpyHtoA(array, 0, image.data(), kWidth * 4));
    CUDA_MEMCPY2D part;
    std::memset(&part, 0, sizeof part);
    part.srcMemoryType = CU_MEMORYTYPE_HOST, part.srcHost = image.data(), part.srcPitch = kWidth * 4;
    part.dstMemoryType = CU_MEMORYTYPE_ARRAY, part.dstArray = array;
    part.srcXInBytes = part.dstXInBytes = 4, part.srcY = part.dstY = 1;
    part.WidthInBytes = (kWidth - 1) * 4, part.Height = kHeight - 1;
    check(cuMemcpy2D(&part));
    part.srcXInBytes = part.dstXInBytes = 0, part.WidthInBytes = 4;
    check(cuMemcpy2D(&part));

    CUdeviceptr out = 0;
    check(cuMemAlloc(&out, got.size() * 4));
    launch(code, "read_scaled", texture(array, 0), out);
    check(cuMemcpyDtoH(got.data(), out, got.size() * 4));
    printf("scaled %d, ", right(got, 40));
    launch(code, "read", texture(array, CU_TRSF_READ_AS_INTEGER), out);
    check(cuMemcpyDtoH(got.data(), out, got.size() * 4));
    printf("as they are %d, ", right(got, 40));

    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
    CUsurfObject surface = 0;
    check(cuSurfObjectCreate(&surface, &resource));
    launch(code, "write", surface, out);
    std::memset(&part, 0, sizeof part);
    part.srcMemoryType = CU_MEMORYTYPE_ARRAY, part.srcArray = array;
    part.dstMemoryType = CU_MEMORYTYPE_HOST, part.dstHost = got.data(), part.dstPitch = kWidth * 4;
    part.WidthInBytes = kWidth * 4, part.Height = kHeight;
    check(cuMemcpy2D(&part));
    printf("written %d\n", right(got, 0));
    check(cuSurfObjectDestroy(surface));
    check(cuArrayDestroy(array));
}

void refused() {
    module();
    CUarray array = nullptr;
    const CUDA_ARRAY_DESCRIPTOR blocks = {kWidth, kHeight, CU_AD_FORMAT_BC1_UNORM, 4},
                                three = {kWidth, kHeight, CU_AD_FORMAT_FLOAT, 3},
                                none = {0, 0, CU_AD_FORMAT_FLOAT, 1};
    for (const auto* shape : {&blocks, &three, &none}) check(cuArrayCreate(&array, shape));
    printf("\n");
}

}  // namespace

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    if (what == "images") images();
    if (what == "refused") refused();
    return 0;
}
