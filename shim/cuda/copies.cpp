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
};

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
    const Corner at{c.dstXInBytes, c.dstY, 0}, of{c.srcXInBytes, c.srcY, 0};
    const Side there = side_of(to, at, c.WidthInBytes), here = side_of(from, of, c.WidthInBytes);
    return {
        there, here, {c.WidthInBytes, c.Height}
    };
}

Box box_of(const CUDA_MEMCPY3D& c) {
    const Described from{c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcPitch, c.srcHeight};
    const Described to{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstPitch, c.dstHeight};
    const Corner at{c.dstXInBytes, c.dstY, c.dstZ}, of{c.srcXInBytes, c.srcY, c.srcZ};
    const Side there = side_of(to, at, c.WidthInBytes), here = side_of(from, of, c.WidthInBytes);
    const Extent extent{c.WidthInBytes, std::max<uint64_t>(c.Height, 1), std::max<uint64_t>(c.Depth, 1)};
    return {there, here, extent};
}

CUresult copy_box(const Box& box, CUstream stream, bool waits) {
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
