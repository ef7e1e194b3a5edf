// Arrays, textures and surfaces, by the runtime's functions: a handle of one is a handle of the other, as on
// a GPU.
#include "shim/cudart/arrays.h"

#include "shim/cuda/state.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace wl::cuda {
namespace {

cudaArray_t array_of(CUarray handle) { return reinterpret_cast<cudaArray_t>(handle); }

struct Format {
    CUarray_format driver;
    int bits;
    cudaChannelFormatKind kind;
};
constexpr Format kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8,  8,  cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8,    8,  cudaChannelFormatKindSigned  },
    {CU_AD_FORMAT_SIGNED_INT16,   16, cudaChannelFormatKindSigned  },
    {CU_AD_FORMAT_SIGNED_INT32,   32, cudaChannelFormatKindSigned  },
    {CU_AD_FORMAT_HALF,           16, cudaChannelFormatKindFloat   },
    {CU_AD_FORMAT_FLOAT,          32, cudaChannelFormatKindFloat   }
};

// Nothing: a format that is not there, or a number of channels that no array has.
std::optional<cudaChannelFormatDesc> channels_of(CUarray_format format, unsigned channels) {
    const auto* const found = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) {
        return f.driver == format;
    });
    if (found == std::end(kFormats) || (channels != 1 && channels != 2 && channels != 4)) return std::nullopt;
    const auto bits = [&](unsigned k) { return channels > k ? found->bits : 0; };
    return cudaChannelFormatDesc{bits(0), bits(1), bits(2), bits(3), found->kind};
}

// Also one of blocks or planes.
bool is_format(CUarray_format format) {
    return (format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_MAX) || format == CU_AD_FORMAT_NV12 ||
        std::any_of(std::begin(kFormats), std::end(kFormats), [&](const Format& f) {
               return f.driver == format;
           });
}

void describe(const cudaChannelFormatDesc& from, CUarray_format& format, unsigned& channels) {
    channels = static_cast<unsigned>((from.x > 0) + (from.y > 0) + (from.z > 0) + (from.w > 0));
    for (const Format& f : kFormats)
        if (f.bits == from.x && f.kind == from.f) format = f.driver;
}

CUresult make(CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR& d) {
    if (out == nullptr || d.Width == 0) return CUDA_ERROR_INVALID_VALUE;
    const auto channels = channels_of(d.Format, d.NumChannels);
    if (!channels)
        return is_format(d.Format) && d.NumChannels <= 4 && d.NumChannels != 3
            ? static_cast<CUresult>(
                  cudart::unsupported("an array of the driver of this format (blocks, planes)")
              )
            : CUDA_ERROR_INVALID_VALUE;
    return in_context([&] {
        cudaArray_t made = nullptr;
        const cudaError_t error = cudaMalloc3DArray(&made, &*channels, {d.Width, d.Height, d.Depth}, d.Flags);
        *out = reinterpret_cast<CUarray>(made);
        return error;
    });
}

// False: a kind of resource that is not there.
bool translate(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
    switch (from.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            to.resType = cudaResourceTypeArray;
            to.res.array.array = array_of(from.res.array.hArray);
            return true;
        case CU_RESOURCE_TYPE_LINEAR: {
            const auto& linear = from.res.linear;
            const auto channels = channels_of(linear.format, linear.numChannels);
            to.resType = cudaResourceTypeLinear;
            if (channels) to.res.linear = {cudart::pointer_of(linear.devPtr), *channels, linear.sizeInBytes};
            return channels.has_value();
        }
        case CU_RESOURCE_TYPE_PITCH2D: {
            const auto& rows = from.res.pitch2D;
            const auto channels = channels_of(rows.format, rows.numChannels);
            to.resType = cudaResourceTypePitch2D;
            if (channels)
                to.res.pitch2D = {
                    cudart::pointer_of(rows.devPtr), *channels, rows.width, rows.height, rows.pitchInBytes};
            return true;
        }
        default: return false;
    }
}

// An array that is not there.
bool is_lost(const CUDA_RESOURCE_DESC& r) {
    return r.resType == CU_RESOURCE_TYPE_ARRAY && !cudart::is_array(r.res.array.hArray);
}

int bits_of(const cudaResourceDesc& r) {
    switch (r.resType) {
        case cudaResourceTypeArray: return cudart::array_of(r.res.array.array)->format.x;
        case cudaResourceTypeLinear: return r.res.linear.desc.x;
        default: return r.res.pitch2D.desc.x;
    }
}
bool is_float(const cudaResourceDesc& r) {
    const cudaChannelFormatKind kind = r.resType == cudaResourceTypeArray
        ? cudart::array_of(r.res.array.array)->format.f
        : r.resType == cudaResourceTypeLinear ? r.res.linear.desc.f
                                              : r.res.pitch2D.desc.f;
    return kind == cudaChannelFormatKindFloat;
}

// Small integers are read as numbers from 0 or -1 to 1 unless the texture says otherwise.
cudaTextureDesc translate(const CUDA_TEXTURE_DESC& from, const cudaResourceDesc& resource) {
    cudaTextureDesc to{};
    for (size_t axis = 0; axis < 3; ++axis)
        to.addressMode[axis] = static_cast<cudaTextureAddressMode>(from.addressMode[axis]);
    to.filterMode = from.filterMode == CU_TR_FILTER_MODE_LINEAR ? cudaFilterModeLinear : cudaFilterModePoint;
    const bool scaled =
        (from.flags & CU_TRSF_READ_AS_INTEGER) == 0 && !is_float(resource) && bits_of(resource) < 32;
    to.readMode = scaled ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
    std::memcpy(to.borderColor, from.borderColor, sizeof to.borderColor);
    return to;
}

CUresult no_such_resource() {
    return static_cast<CUresult>(
        cudart::unsupported("a texture or surface object of the driver of this kind (mipmaps, block formats)")
    );
}

// A row of an array beside memory of the host or of the device.
CUresult copy_row(cudart::Side to, cudart::Side from, size_t bytes, CUstream stream) {
    return in_context([&] {
        return cudart::submit(stream, cudaGraphNodeTypeMemcpy, [=] {
            return cudart::copy_now(to, from, {bytes});
        });
    });
}
// Bytes of an array from an offset on; nothing of one that is not there, or of which it is not all.
cudart::Side at(CUarray array, size_t offset, size_t bytes) {
    if (array == nullptr) return {};
    const cudart::Side whole = cudart::side_of(*cudart::array_of(array_of(array)));
    if (offset > whole.slice || bytes > whole.slice - offset) return {};
    cudart::Side side = cudart::side_of(*cudart::array_of(array_of(array)));
    side.address += offset;
    return side;
}
cudart::Side at(uint64_t address) { return {address, 0, 0}; }

}  // namespace
}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuArray3DCreate(CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR* d) {
    return d == nullptr ? CUDA_ERROR_INVALID_VALUE : make(out, *d);
}
CUresult cuArrayCreate(CUarray* out, const CUDA_ARRAY_DESCRIPTOR* d) {
    if (d == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return make(out, {d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}
CUresult cuArrayDestroy(CUarray array) {
    if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return in_context([&] { return cudaFreeArray(array_of(array)); });
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* out, CUarray handle) {
    if (const CUresult no = usable(); no != CUDA_SUCCESS) return no;
    if (handle == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const wl::cudart::Array& a = *wl::cudart::array_of(array_of(handle));
    *out = {a.extent.width, a.extent.height, a.extent.depth, CU_AD_FORMAT_FLOAT, 0, a.flags};
    describe(a.format, out->Format, out->NumChannels);
    return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* out, CUarray handle) {
    CUDA_ARRAY3D_DESCRIPTOR d{0, 0, 0, CU_AD_FORMAT_FLOAT, 0, 0};
    const CUresult error = cuArray3DGetDescriptor(&d, handle);
    if (error == CUDA_SUCCESS && out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (error == CUDA_SUCCESS) *out = {d.Width, d.Height, d.Format, d.NumChannels};
    return error;
}

CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t bytes) {
    return copy_row(at(to, offset, bytes), at(device_address(from)), bytes, nullptr);
}
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t bytes) {
    return copy_row(at(device_address(to)), at(from, offset, bytes), bytes, nullptr);
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
    return copy_row(at(to, offset, bytes), at(from), bytes, nullptr);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
    return copy_row(at(to), at(from, offset, bytes), bytes, nullptr);
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t offset, size_t bytes) {
    return copy_row(at(to, to_offset, bytes), at(from, offset, bytes), bytes, nullptr);
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream) {
    return copy_row(at(to, offset, bytes), at(device_address(from)), bytes, stream);
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
    return copy_row(at(device_address(to)), at(from, offset, bytes), bytes, stream);
}

CUresult cuTexObjectCreate(
    CUtexObject* out,
    const CUDA_RESOURCE_DESC* resource,
    const CUDA_TEXTURE_DESC* how,
    const CUDA_RESOURCE_VIEW_DESC* view
) {
    if (out == nullptr || resource == nullptr || how == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (view != nullptr && view->format != CU_RES_VIEW_FORMAT_NONE)
        return static_cast<CUresult>(wl::cudart::unsupported("cuTexObjectCreate with a view"));
    cudaResourceDesc r{};
    if (is_lost(*resource)) return CUDA_ERROR_INVALID_VALUE;
    if (!translate(*resource, r)) return no_such_resource();
    const cudaTextureDesc t = translate(*how, r);
    return in_context([&] { return cudaCreateTextureObject(out, &r, &t, nullptr); });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
    return in_context([&] { return cudaDestroyTextureObject(object); });
}

CUresult cuSurfObjectCreate(CUsurfObject* out, const CUDA_RESOURCE_DESC* resource) {
    if (out == nullptr || resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc r{};
    if (is_lost(*resource)) return CUDA_ERROR_INVALID_VALUE;
    if (!translate(*resource, r)) return no_such_resource();
    return in_context([&] { return cudaCreateSurfaceObject(out, &r); });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
    return in_context([&] { return cudaDestroySurfaceObject(object); });
}
}
