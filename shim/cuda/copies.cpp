// cuMemcpy and cuMemset in their forms.
#include "shim/cuda/state.h"
#include "shim/cudart/arrays.h"

#include <algorithm>

namespace wl::cuda {
namespace {

using cudart::Extent;
using cudart::pointer_of;
using cudart::Side;

// At once, or in the order of a stream.
CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaMemcpyKind kind = cudaMemcpyDefault) {
    return in_context([&] { return cudaMemcpy(pointer_of(to), pointer_of(from), bytes, kind); });
}
CUresult copy_in(
    CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaMemcpyKind kind = cudaMemcpyDefault
) {
    return in_context([&] { return cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, kind, stream); });
}

CUresult fill_in(CUstream stream, Side to, unsigned value, unsigned element, Extent extent) {
    const bool nothing = extent.width == 0 || extent.height == 0;
    if (!nothing && (to.address % element != 0 || (extent.height > 1 && to.pitch < extent.width)))
        return CUDA_ERROR_INVALID_VALUE;
    return in_context([&] {
        const cudaError_t error = nothing ? cudaSuccess : cudart::refused_device_side(to.address);
        if (error != cudaSuccess || nothing) return error;
        const auto work = [=] { return cudart::fill_now(to, value, element, extent); };
        return cudart::submit(stream, cudaGraphNodeTypeMemset, work, cudart::sides_of(to, extent));
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
    CUresult error = CUDA_SUCCESS;  // it cannot be copied
};

// Of nothing, or none at all.
Box not_copied(CUresult error) {
    Box box;
    box.extent.width = 0, box.error = error;
    return box;
}

// One side of a copy as the program describes it.
struct Described {
    CUmemorytype type;
    const void* host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch, height;  // rows of a slice; those of an array are its own
};
struct Corner {
    size_t x, y, z;  // x: bytes
};

// What a program may not say of a side.
CUresult refused(const Described& d, size_t width, size_t height) {
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    switch (d.type) {
        case CU_MEMORYTYPE_HOST:
        case CU_MEMORYTYPE_DEVICE:
        case CU_MEMORYTYPE_UNIFIED:
            return d.pitch != 0 && d.pitch < width ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        case CU_MEMORYTYPE_ARRAY: return cudart::is_array(d.array) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        default: return CUDA_ERROR_INVALID_VALUE;
    }
}

Side side_of(const Described& d, const Corner& corner, size_t width) {
    const size_t pitch = d.pitch != 0 ? d.pitch : width;
    Side side{d.type == CU_MEMORYTYPE_HOST ? device_address(d.host) : d.device, pitch, pitch * d.height};
    if (d.type == CU_MEMORYTYPE_ARRAY)
        side = cudart::side_of(*cudart::array_of(reinterpret_cast<cudaArray_t>(d.array)));
    side.address += corner.x + corner.y * side.pitch + corner.z * side.slice;
    return side;
}

Box box_of(const CUDA_MEMCPY2D& c) {
    const Described from{c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcPitch, 0};
    const Described to{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstPitch, 0};
    for (const Described& side : {from, to})
        if (const CUresult error = refused(side, c.WidthInBytes, c.Height); error != CUDA_SUCCESS)
            return not_copied(error);
    const Corner at{c.dstXInBytes, c.dstY, 0}, of{c.srcXInBytes, c.srcY, 0};
    if (c.WidthInBytes == 0 || c.Height == 0) return not_copied(CUDA_SUCCESS);
    const Side there = side_of(to, at, c.WidthInBytes), here = side_of(from, of, c.WidthInBytes);
    return {
        there, here, {c.WidthInBytes, c.Height}
    };
}

Box box_of(const CUDA_MEMCPY3D& c) {
    const Described from{c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcPitch, c.srcHeight};
    const Described to{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstPitch, c.dstHeight};
    for (const Described& side : {from, to})
        if (const CUresult error = refused(side, c.WidthInBytes, c.Height); error != CUDA_SUCCESS)
            return not_copied(error);
    const Corner at{c.dstXInBytes, c.dstY, c.dstZ}, of{c.srcXInBytes, c.srcY, c.srcZ};
    if (c.WidthInBytes == 0 || c.Height == 0 || c.Depth == 0) return not_copied(CUDA_SUCCESS);
    const Side there = side_of(to, at, c.WidthInBytes), here = side_of(from, of, c.WidthInBytes);
    const Extent extent{c.WidthInBytes, std::max<uint64_t>(c.Height, 1), std::max<uint64_t>(c.Depth, 1)};
    return {there, here, extent};
}

CUresult copy_box(const Box& box, CUstream stream, bool waits) {
    if (box.error != CUDA_SUCCESS) return box.error;
    return in_context([&] {
        if (waits) cudart::flush_printed(begin().machine);
        const auto work = [box] { return cudart::copy_now(box.to, box.from, box.extent); };
        const cudaError_t error = cudart::submit(
            stream, cudaGraphNodeTypeMemcpy, work, cudart::sides_of(box.to, box.from, box.extent)
        );
        if (waits) runtime::host_waits_for_stream(begin().machine, order::kLegacy);
        return error;
    });
}

}  // namespace
}  // namespace wl::cuda

using namespace wl::cuda;

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return copy(to, from, bytes); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return copy(to, device_address(from), bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return copy(device_address(to), from, bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, from, bytes);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, device_address(from), bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_in(stream, device_address(to), from, bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_in(stream, to, from, bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyPeerAsync(
    CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream
) {
    return copy_in(stream, to, from, bytes, cudaMemcpyDeviceToDevice);
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
