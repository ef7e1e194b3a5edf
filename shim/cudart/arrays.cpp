// Arrays and the copies that only they have.
#include "shim/cudart/arrays.h"

#include <algorithm>

namespace wl::cudart {

Side side_of(const Array& a) {
    const uint64_t pitch = a.extent.width * a.texel;
    return {a.base, pitch, pitch * std::max<uint64_t>(a.extent.height, 1)};
}

namespace {

cudaError_t make(cudaArray_t* out, const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags) {
    const Call call = begin();
    auto made = std::make_unique<Array>();
    made->format = format, made->extent = extent, made->flags = flags;
    made->texel = static_cast<uint32_t>(format.x + format.y + format.z + format.w) / 8;
    const uint64_t bytes = extent.width * made->texel * std::max<uint64_t>(extent.height, 1) *
        std::max<uint64_t>(extent.depth, 1);
    if (bytes == 0) return done(cudaErrorInvalidValue);
    made->base = runtime::make(call.machine.memory, bytes, runtime::Region::Kind::array);
    if (made->base == 0) return done(cudaErrorMemoryAllocation);
    *out = reinterpret_cast<cudaArray_t>(made.release());
    return cudaSuccess;
}

Side at(cudaArray_const_t array, size_t x, size_t y) {
    Side side = side_of(*array_of(array));
    side.address += x + y * side.pitch;
    return side;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(
    cudaArray_t* out, const cudaChannelFormatDesc* format, size_t width, size_t height, unsigned flags
) {
    return make(out, *format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(
    cudaArray_t* out, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags
) {
    return make(out, *format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (array == nullptr) return cudaSuccess;
    const Call call = begin();
    const std::unique_ptr<Array> gone(array_of(array));
    const bool held =
        wl::runtime::release(call.machine.memory, gone->base, {wl::runtime::Region::Kind::array});
    return done(held ? cudaSuccess : cudaErrorInvalidValue);  // it went with a reset
}

cudaError_t cudaArrayGetInfo(
    cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array
) {
    const Array& a = *array_of(array);
    if (format != nullptr) *format = a.format;
    if (extent != nullptr) *extent = a.extent;
    if (flags != nullptr) *flags = a.flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    *format = array_of(array)->format;
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(
    cudaArray_t to,
    size_t x,
    size_t y,
    const void* from,
    size_t pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind
) {
    return done(copy_now(at(to, x, y), {address_of(from), pitch, 0}, {width, height}));
}

cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t to,
    size_t x,
    size_t y,
    const void* from,
    size_t pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind,
    cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] {
        return copy_now(at(to, x, y), {address_of(from), pitch, 0}, {width, height});
    }));
}

cudaError_t cudaMemcpy2DFromArray(
    void* to,
    size_t pitch,
    cudaArray_const_t from,
    size_t x,
    size_t y,
    size_t width,
    size_t height,
    cudaMemcpyKind
) {
    return done(copy_now({address_of(to), pitch, 0}, at(from, x, y), {width, height}));
}

cudaError_t cudaMemcpyToArray(
    cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind
) {
    return done(copy_now(at(to, x, y), {address_of(from), bytes, 0}, {bytes}));
}

cudaError_t cudaMemcpyFromArray(
    void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind
) {
    return done(copy_now({address_of(to), bytes, 0}, at(from, x, y), {bytes}));
}

cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t to,
    size_t to_x,
    size_t to_y,
    cudaArray_const_t from,
    size_t x,
    size_t y,
    size_t width,
    size_t height,
    cudaMemcpyKind
) {
    return done(copy_now(at(to, to_x, to_y), at(from, x, y), {width, height}));
}
}
