// cuMemcpy and cuMemset in their forms.
#include "shim/cudart/copies.h"

#include "shim/cuda/state.h"

#include <algorithm>

namespace wl::cuda {
namespace {

using cudart::Extent;
using cudart::pointer_of;
using cudart::Side;

// At once, or in the order of a stream.
CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return in_context([&] { return cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault); });
}
CUresult copy_in(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return in_context([&] {
        return cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream);
    });
}

CUresult fill_in(CUstream stream, Side to, unsigned value, unsigned element, Extent extent) {
    return in_context([&] {
        return cudart::submit(stream, cudaGraphNodeTypeMemset, [=] {
            return cudart::fill_now(to, value, element, extent);
        });
    });
}
CUresult fill(CUdeviceptr to, unsigned value, unsigned element, size_t count) {
    return fill_in(nullptr, {to, count * element, 0}, value, element, {count * element});
}
CUresult fill_rows(
    CUstream stream,
    CUdeviceptr to,
    size_t pitch,
    unsigned value,
    unsigned element,
    size_t width,
    size_t height
) {
    return fill_in(stream, {to, pitch, 0}, value, element, {width * element, height});
}

struct Box {
    Side to, from;
    Extent extent;
    bool has_array = false;
};

CUdeviceptr base_of(CUmemorytype type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? device_address(host) : device;
}

Box box_of(const CUDA_MEMCPY2D& c) {
    Box out;
    out.from = {
        base_of(c.srcMemoryType, c.srcHost, c.srcDevice) + c.srcY * c.srcPitch + c.srcXInBytes,
        c.srcPitch,
        0};
    out.to = {
        base_of(c.dstMemoryType, c.dstHost, c.dstDevice) + c.dstY * c.dstPitch + c.dstXInBytes,
        c.dstPitch,
        0};
    out.extent = {c.WidthInBytes, c.Height};
    out.has_array = c.srcMemoryType == CU_MEMORYTYPE_ARRAY || c.dstMemoryType == CU_MEMORYTYPE_ARRAY;
    return out;
}

Box box_of(const CUDA_MEMCPY3D& c) {
    Box out;
    const size_t from_slice = c.srcPitch * c.srcHeight, to_slice = c.dstPitch * c.dstHeight;
    out.from = {
        base_of(c.srcMemoryType, c.srcHost, c.srcDevice) + c.srcZ * from_slice + c.srcY * c.srcPitch +
            c.srcXInBytes,
        c.srcPitch,
        from_slice};
    out.to = {
        base_of(c.dstMemoryType, c.dstHost, c.dstDevice) + c.dstZ * to_slice + c.dstY * c.dstPitch +
            c.dstXInBytes,
        c.dstPitch,
        to_slice};
    out.extent = {c.WidthInBytes, std::max<uint64_t>(c.Height, 1), std::max<uint64_t>(c.Depth, 1)};
    out.has_array = c.srcMemoryType == CU_MEMORYTYPE_ARRAY || c.dstMemoryType == CU_MEMORYTYPE_ARRAY;
    return out;
}

CUresult copy_box(Box box, CUstream stream, bool waits) {
    if (box.has_array)
        return static_cast<CUresult>(cudart::unsupported("a copy of the driver from or to an array"));
    if (box.from.pitch == 0) box.from.pitch = box.extent.width;
    if (box.to.pitch == 0) box.to.pitch = box.extent.width;
    return in_context([&] {
        if (waits) cudart::flush_printed(begin().machine);
        return cudart::submit(stream, cudaGraphNodeTypeMemcpy, [box] {
            return cudart::copy_now(box.to, box.from, box.extent);
        });
    });
}

}  // namespace
}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy(to, from, bytes); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return copy(to, device_address(from), bytes);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return copy(device_address(to), from, bytes);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy(to, from, bytes); }
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
    return copy(to, from, bytes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, from, bytes);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, device_address(from), bytes);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_in(stream, device_address(to), from, bytes);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, from, bytes);
}
CUresult cuMemcpyPeerAsync(
    CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream
) {
    return copy_in(stream, to, from, bytes);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* c) { return copy_box(box_of(*c), nullptr, true); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* c) { return copy_box(box_of(*c), nullptr, true); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* c, CUstream stream) {
    return copy_box(box_of(*c), stream, false);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* c) { return copy_box(box_of(*c), nullptr, true); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* c, CUstream stream) {
    return copy_box(box_of(*c), stream, false);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return fill(to, value, 1, count); }
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) { return fill(to, value, 2, count); }
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) { return fill(to, value, 4, count); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill_rows(stream, to, count, value, 1, count, 1);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return fill_rows(stream, to, count * 2, value, 2, count, 1);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill_rows(stream, to, count * 4, value, 4, count, 1);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return fill_rows(nullptr, to, pitch, value, 1, width, height);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return fill_rows(nullptr, to, pitch, value, 2, width, height);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return fill_rows(nullptr, to, pitch, value, 4, width, height);
}
CUresult cuMemsetD2D8Async(
    CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream
) {
    return fill_rows(stream, to, pitch, value, 1, width, height);
}
CUresult cuMemsetD2D16Async(
    CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream
) {
    return fill_rows(stream, to, pitch, value, 2, width, height);
}
CUresult cuMemsetD2D32Async(
    CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream
) {
    return fill_rows(stream, to, pitch, value, 4, width, height);
}
}
