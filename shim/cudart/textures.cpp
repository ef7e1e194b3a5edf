// Texture and surface objects over arrays, pitched and linear memory.
#include "instrumentation/execution/windows.h"
#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/arrays.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

namespace wl::cudart {
namespace {

using execution::AddressMode;
using execution::Texture;

struct Made {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};
};
std::map<uint64_t, Made>& made() {
    static auto* const kMade = new std::map<uint64_t, Made>;
    return *kMade;
}

bool set_format(Texture& t, const cudaChannelFormatDesc& f) {
    t.channels = static_cast<uint32_t>((f.x > 0) + (f.y > 0) + (f.z > 0) + (f.w > 0));
    const bool is_signed = f.f == cudaChannelFormatKindSigned, is_float = f.f == cudaChannelFormatKindFloat;
    if (!is_signed && !is_float && f.f != cudaChannelFormatKindUnsigned) return false;
    switch (f.x) {
        case 8: t.dtype = is_signed ? DType::s8 : DType::u8; break;
        case 16: t.dtype = is_float ? DType::f16 : is_signed ? DType::s16 : DType::u16; break;
        case 32: t.dtype = is_float ? DType::f32 : is_signed ? DType::s32 : DType::u32; break;
        default: return false;
    }
    return t.channels == 1 || t.channels == 2 || t.channels == 4;
}

void set_array(Texture& t, const Array& a) {
    const auto extent = [](size_t n) { return static_cast<uint32_t>(std::max<size_t>(n, 1)); };
    t.data = a.base;
    t.cube = (a.flags & cudaArrayCubemap) != 0;
    t.extent = {extent(a.extent.width), extent(a.extent.height), extent(a.extent.depth)};
    if (!t.cube && (a.flags & cudaArrayLayered) == 0) return;
    t.layers = extent(a.extent.depth), t.extent[2] = 1;
}

// False: a kind of resource that is not there.
bool set_resource(Texture& t, const cudaResourceDesc& r) {
    switch (r.resType) {
        case cudaResourceTypeArray: {
            const Array& a = *array_of(r.res.array.array);
            set_array(t, a);
            return set_format(t, a.format);
        }
        case cudaResourceTypeLinear:
            if (!set_format(t, r.res.linear.desc)) return false;
            t.data = address_of(r.res.linear.devPtr);
            t.extent[0] = static_cast<uint32_t>(r.res.linear.sizeInBytes / execution::texel_bytes(t));
            return true;
        case cudaResourceTypePitch2D:
            if (!set_format(t, r.res.pitch2D.desc)) return false;
            t.data = address_of(r.res.pitch2D.devPtr);
            t.extent[0] = static_cast<uint32_t>(r.res.pitch2D.width);
            t.extent[1] = static_cast<uint32_t>(r.res.pitch2D.height);
            t.pitch = static_cast<uint32_t>(r.res.pitch2D.pitchInBytes / execution::texel_bytes(t));
            return true;
        default: return false;
    }
}

AddressMode mode_of(cudaTextureAddressMode mode) {
    switch (mode) {
        case cudaAddressModeWrap: return AddressMode::wrap;
        case cudaAddressModeMirror: return AddressMode::mirror;
        case cudaAddressModeBorder: return AddressMode::border;
        default: return AddressMode::clamp;
    }
}

constexpr size_t kTexels = size_t{1} << 28, kAlign = 512, kRowAlign = 32, kRows = 65000;

cudaError_t refused_memory(const void* memory, const cudaChannelFormatDesc& format) {
    if (!is_format(format)) return cudaErrorInvalidChannelDescriptor;
    const Call call = begin_without_looking();
    const uint64_t address = address_of(memory);
    // Memory of the host that is not registered has no address on the device; what was freed, or is none at
    // all, has one that the texture keeps.
    const bool of_host = address < execution::kGlobalBase && runtime::is_readable(memory, 1) &&
        runtime::region_of(call.machine.memory, address) == nullptr;
    return address == 0 || address % kAlign != 0 || of_host ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t refused(const cudaResourceDesc& r) {
    switch (r.resType) {
        case cudaResourceTypeArray:
            return is_array(r.res.array.array) ? cudaSuccess : cudaErrorInvalidResourceHandle;
        case cudaResourceTypeLinear: {
            const auto& linear = r.res.linear;
            const cudaError_t error = refused_memory(linear.devPtr, linear.desc);
            if (error != cudaSuccess) return error;
            const int bits = linear.desc.x + linear.desc.y + linear.desc.z + linear.desc.w;
            return linear.sizeInBytes / (static_cast<size_t>(bits) / 8) > kTexels ? cudaErrorInvalidValue
                                                                                  : cudaSuccess;
        }
        case cudaResourceTypePitch2D: {
            const auto& rows = r.res.pitch2D;
            const cudaError_t error = refused_memory(rows.devPtr, rows.desc);
            if (error != cudaSuccess) return error;
            const bool possible =
                rows.pitchInBytes % kRowAlign == 0 && rows.width <= kTexels && rows.height <= kRows;
            return possible ? cudaSuccess : cudaErrorInvalidValue;
        }
        default: return cudaSuccess;
    }
}

cudaError_t refused(const cudaTextureDesc& how, const cudaResourceDesc& r) {
    const bool modes = std::all_of(std::begin(how.addressMode), std::end(how.addressMode), [](auto mode) {
        return mode >= cudaAddressModeWrap && mode <= cudaAddressModeBorder;
    });
    if (!modes || how.filterMode < cudaFilterModePoint || how.filterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    const cudaChannelFormatDesc& format = r.resType == cudaResourceTypeArray
        ? array_of(r.res.array.array)->format
        : r.resType == cudaResourceTypeLinear ? r.res.linear.desc
                                              : r.res.pitch2D.desc;
    const bool plain = format.f != cudaChannelFormatKindFloat && how.readMode == cudaReadModeElementType;
    return plain && how.filterMode == cudaFilterModeLinear ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

cudaError_t make(unsigned long long* out, const cudaResourceDesc& resource, const cudaTextureDesc* how) {
    if (const cudaError_t error = refused(resource); error != cudaSuccess) return done(error);
    Texture t;
    if (!set_resource(t, resource))
        return unsupported("a texture or surface object of this kind (mipmaps, block formats)");
    if (how != nullptr) {
        if (const cudaError_t error = refused(*how, resource); error != cudaSuccess) return done(error);
        for (size_t axis = 0; axis < 3; ++axis) t.address[axis] = mode_of(how->addressMode[axis]);
        t.linear = how->filterMode == cudaFilterModeLinear;
        t.as_float = how->readMode == cudaReadModeNormalizedFloat;
        t.normalized = how->normalizedCoords != 0;
        std::memcpy(t.border.data(), how->borderColor, sizeof how->borderColor);
    }
    const Call call = begin();
    auto& global = call.machine.memory.global;
    t.name = "texture " + std::to_string(global.textures.size() + 1);
    *out = execution::add_texture(global, t);
    made()[*out] = {resource, how != nullptr ? *how : cudaTextureDesc{}};
    return cudaSuccess;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t* out,
    const cudaResourceDesc* resource,
    const cudaTextureDesc* how,
    const cudaResourceViewDesc* view
) {
    if (how == nullptr) return done(cudaErrorInvalidResourceHandle);
    if (view != nullptr && view->format != cudaResViewFormatNone)
        return unsupported("cudaCreateTextureObject with a view");
    return make(out, *resource, how);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
    if (resource->resType != cudaResourceTypeArray) return done(cudaErrorInvalidValue);
    return make(out, *resource, nullptr);
}

// Handles are not given twice; the texels belong to their memory.
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) { return cudaSuccess; }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return cudaSuccess; }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, cudaTextureObject_t object) {
    const auto found = made().find(object);
    if (found == made().end()) return done(cudaErrorInvalidValue);
    *out = found->second.resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, cudaTextureObject_t object) {
    const auto found = made().find(object);
    if (found == made().end()) return done(cudaErrorInvalidValue);
    *out = found->second.texture;
    return cudaSuccess;
}
}
