// Arrays, textures and surfaces of the driver over an emulated device.
#include "tests/gpu/driver/machine.h"

#include <algorithm>
#include <cstring>

namespace {

using namespace wl;
using namespace wl::emulated;

// Arrays are plain memory, texels densely; objects are the emulator's own handles.
struct Array {
    CUDA_ARRAY3D_DESCRIPTOR form;
    CUdeviceptr texels = 0;
};

constexpr DType dtype_of(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8: return DType::u8;
        case CU_AD_FORMAT_UNSIGNED_INT16: return DType::u16;
        case CU_AD_FORMAT_UNSIGNED_INT32: return DType::u32;
        case CU_AD_FORMAT_SIGNED_INT8: return DType::s8;
        case CU_AD_FORMAT_SIGNED_INT16: return DType::s16;
        case CU_AD_FORMAT_SIGNED_INT32: return DType::s32;
        case CU_AD_FORMAT_HALF: return DType::f16;
        default: return DType::f32;
    }
}

size_t row_bytes(const CUDA_ARRAY3D_DESCRIPTOR& form) {
    return form.Width * form.NumChannels * size_of(dtype_of(form.Format));
}

execution::Texture texture_in(const CUDA_RESOURCE_DESC& resource) {
    execution::Texture t;
    if (resource.resType == CU_RESOURCE_TYPE_PITCH2D) {
        const auto& p = resource.res.pitch2D;
        t.data = p.devPtr, t.dtype = dtype_of(p.format), t.channels = p.numChannels;
        t.extent = {static_cast<uint32_t>(p.width), static_cast<uint32_t>(p.height), 1};
        t.pitch = static_cast<uint32_t>(p.pitchInBytes / size_of(t.dtype) / t.channels);
        return t;
    }
    const Array& array = *reinterpret_cast<Array*>(resource.res.array.hArray);
    const auto depth = static_cast<uint32_t>(array.form.Depth);
    const bool layered = (array.form.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
    t.data = array.texels, t.dtype = dtype_of(array.form.Format), t.channels = array.form.NumChannels;
    t.extent = {
        static_cast<uint32_t>(array.form.Width),
        std::max(static_cast<uint32_t>(array.form.Height), 1u),
        layered ? 1 : std::max(depth, 1u)};
    t.layers = layered ? depth : 0;
    t.cube = (array.form.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
    return t;
}

}  // namespace

extern "C" {

CUresult cuArray3DCreate(CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR* form) {
    auto* const made = new Array{*form};
    *out = reinterpret_cast<CUarray>(made);
    return cuMemAlloc(
        &made->texels, row_bytes(*form) * std::max<size_t>(form->Height, 1) * std::max<size_t>(form->Depth, 1)
    );
}
CUresult cuArrayDestroy(CUarray array) {
    auto* const made = reinterpret_cast<Array*>(array);
    const CUresult status = cuMemFree(made->texels);
    delete made;
    return status;
}
// Whole rows, from the beginning, between device memory and an array.
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy) {
    const bool into = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const Array& array = *reinterpret_cast<Array*>(into ? copy->dstArray : copy->srcArray);
    const size_t rows = copy->Height * copy->Depth;
    const size_t pitch = into ? copy->srcPitch : copy->dstPitch;
    std::byte* const linear = at(into ? copy->srcDevice : copy->dstDevice, pitch * rows);
    std::byte* const texels = at(array.texels, row_bytes(array.form) * rows);
    if (linear == nullptr || texels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (size_t row = 0; row < rows; ++row) {
        std::byte *const a = texels + row * row_bytes(array.form), *const b = linear + row * pitch;
        std::memcpy(into ? a : b, into ? b : a, copy->WidthInBytes);
    }
    return CUDA_SUCCESS;
}

CUresult
cuTexObjectCreate(CUtexObject* out, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* sampling, const CUDA_RESOURCE_VIEW_DESC*) {
    execution::Texture t = texture_in(*resource);
    t.as_float = (sampling->flags & CU_TRSF_READ_AS_INTEGER) == 0 && !is_float(t.dtype);
    t.normalized = (sampling->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    t.linear = sampling->filterMode == CU_TR_FILTER_MODE_LINEAR;
    for (size_t k = 0; k < 3; ++k)
        t.address[k] = static_cast<execution::AddressMode>(sampling->addressMode[k]);
    for (size_t k = 0; k < 4; ++k) t.border[k] = sampling->borderColor[k];
    *out = execution::add_texture(machine().memory, t);
    return CUDA_SUCCESS;
}
CUresult cuTexObjectDestroy(CUtexObject) { return CUDA_SUCCESS; }
CUresult cuSurfObjectCreate(CUsurfObject* out, const CUDA_RESOURCE_DESC* resource) {
    *out = execution::add_texture(machine().memory, texture_in(*resource));
    return CUDA_SUCCESS;
}
CUresult cuSurfObjectDestroy(CUsurfObject) { return CUDA_SUCCESS; }

}  // extern "C"
