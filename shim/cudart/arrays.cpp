// Arrays and the copies that only they have.
#include "shim/cudart/arrays.h"

#include "shim/cudart/streams.h"

#include <algorithm>
#include <set>

namespace wl::cudart {

Side side_of(const Array& a) {
    const uint64_t pitch = a.extent.width * a.texel;
    return {a.base, pitch, pitch * std::max<uint64_t>(a.extent.height, 1)};
}

namespace {

std::set<const void*>& arrays() {
    static auto* const kArrays = new std::set<const void*>;
    return *kArrays;
}

constexpr unsigned kFlags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
    cudaArrayTextureGather | cudaArrayColorAttachment | cudaArraySparse | cudaArrayDeferredMapping;

// A device of the emulated kind: at most so many texels along an axis of one, two and three dimensions.
constexpr size_t kLine = 131072, kRows = 65536, kCube = 16384, kLayers = 2048;

bool is_possible(const cudaExtent& e, unsigned flags) {
    const bool layered = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    if (e.width == 0 || (flags & ~kFlags) != 0) return false;
    if ((flags & cudaArrayCubemap) != 0 && (e.width != e.height || e.depth % 6 != 0 || e.depth == 0))
        return false;
    if (layered) return e.width <= kLine && e.height <= kRows && e.depth <= kLayers;
    if (e.depth != 0) return e.height != 0 && e.width <= kCube && e.height <= kCube && e.depth <= kCube;
    return e.width <= kLine && e.height <= kRows;
}

}  // namespace

bool is_array(const void* handle) {
    const Call call = begin_without_looking();
    return arrays().contains(handle);
}

bool is_format(const cudaChannelFormatDesc& f) {
    const int widths[] = {f.x, f.y, f.z, f.w};
    if (f.f < cudaChannelFormatKindSigned || f.f > cudaChannelFormatKindFloat || f.x == 0) return false;
    int channels = 0;
    while (channels < 4 && widths[channels] == f.x) ++channels;
    for (int k = channels; k < 4; ++k)
        if (widths[k] != 0) return false;
    const bool whole = f.x == 16 || f.x == 32 || (f.x == 8 && f.f != cudaChannelFormatKindFloat);
    return whole && channels != 3;
}

namespace {

cudaError_t make(cudaArray_t* out, const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags) {
    if (!is_format(format)) return done(cudaErrorInvalidChannelDescriptor);
    if (!is_possible(extent, flags)) return done(cudaErrorInvalidValue);
    const Call call = begin();
    auto made = std::make_unique<Array>();
    made->format = format, made->extent = extent, made->flags = flags;
    made->texel = static_cast<uint32_t>(format.x + format.y + format.z + format.w) / 8;
    const uint64_t bytes = extent.width * made->texel * std::max<uint64_t>(extent.height, 1) *
        std::max<uint64_t>(extent.depth, 1);
    made->base = runtime::make(call.machine.memory, bytes, runtime::Region::Kind::array);
    if (made->base == 0) return done(cudaErrorMemoryAllocation);
    arrays().insert(made.get());
    *out = reinterpret_cast<cudaArray_t>(made.release());
    return cudaSuccess;
}

// A rectangle of an array: x and width count bytes.
struct Part {
    cudaArray_const_t array;
    size_t x, y;
};
Side at(const Part& part) {
    Side side = side_of(*array_of(part.array));
    side.address += part.x + part.y * side.pitch;
    return side;
}
cudaError_t refused(const Part& part, size_t width, size_t height) {
    if (part.array == nullptr) return cudaErrorInvalidResourceHandle;
    const Array& a = *array_of(part.array);
    const size_t row = a.extent.width * a.texel, rows = std::max<size_t>(a.extent.height, 1);
    const bool fits = part.x <= row && width <= row - part.x && part.y <= rows && height <= rows - part.y;
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

// A copy between an array and other memory, `device` in the direction of the array.
struct Rows {
    const void* memory;
    size_t pitch, width, height;
};
cudaError_t refused(const Part& part, const Rows& rows, cudaMemcpyKind kind, bool into) {
    const cudaMemcpyKind wrong = into ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (part.array == nullptr) return cudaErrorInvalidResourceHandle;
    if (rows.width > rows.pitch) return cudaErrorInvalidPitchValue;
    if (kind == wrong || kind == cudaMemcpyHostToHost || kind < cudaMemcpyHostToHost ||
        kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return refused(part, rows.width, rows.height);
}
// Bytes that go on in the rows behind.
cudaError_t refused_run(const Part& part, const Rows& rows, cudaMemcpyKind kind, bool into) {
    const cudaError_t error = refused(part, {rows.memory, rows.pitch, 0, 0}, kind, into);
    if (error != cudaSuccess) return error;
    const Side side = side_of(*array_of(part.array));
    const size_t from = part.x + part.y * side.pitch;
    return from <= side.slice && rows.width <= side.slice - from ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t copy_into(const Part& part, const Rows& rows) {
    return copy_now(at(part), {address_of(rows.memory), rows.pitch, 0}, {rows.width, rows.height});
}
cudaError_t copy_out_of(const Part& part, const Rows& rows) {
    return copy_now({address_of(rows.memory), rows.pitch, 0}, at(part), {rows.width, rows.height});
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
    arrays().erase(array);
    const std::unique_ptr<Array> gone(array_of(array));
    const bool held =
        wl::runtime::release(call.machine.memory, gone->base, {wl::runtime::Region::Kind::array});
    return done(held ? cudaSuccess : cudaErrorInvalidValue);  // it went with a reset
}

cudaError_t cudaArrayGetInfo(
    cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array
) {
    if (array == nullptr) return done(cudaErrorInvalidResourceHandle);
    const Array& a = *array_of(array);
    if (format != nullptr) *format = a.format;
    if (extent != nullptr) *extent = a.extent;
    if (flags != nullptr) *flags = a.flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    if (array == nullptr) return done(cudaErrorInvalidResourceHandle);
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
    cudaMemcpyKind kind
) {
    const Part part{to, x, y};
    const Rows rows{from, pitch, width, height};
    const cudaError_t error = refused(part, rows, kind, true);
    return done(error != cudaSuccess ? error : copy_into(part, rows));
}

cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t to,
    size_t x,
    size_t y,
    const void* from,
    size_t pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind kind,
    cudaStream_t stream
) {
    const Part part{to, x, y};
    const Rows rows{from, pitch, width, height};
    if (const cudaError_t error = refused(part, rows, kind, true); error != cudaSuccess) return done(error);
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [part, rows] {
        return is_array(part.array) ? copy_into(part, rows) : cudaErrorInvalidResourceHandle;
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
    cudaMemcpyKind kind
) {
    const Part part{from, x, y};
    const Rows rows{to, pitch, width, height};
    const cudaError_t error = refused(part, rows, kind, false);
    return done(error != cudaSuccess ? error : copy_out_of(part, rows));
}

cudaError_t cudaMemcpyToArray(
    cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind
) {
    const Part part{to, x, y};
    const Rows rows{from, bytes, bytes, 1};
    const cudaError_t error = refused_run(part, rows, kind, true);
    return done(error != cudaSuccess ? error : copy_into(part, rows));
}

cudaError_t cudaMemcpyFromArray(
    void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind
) {
    const Part part{from, x, y};
    const Rows rows{to, bytes, bytes, 1};
    const cudaError_t error = refused_run(part, rows, kind, false);
    return done(error != cudaSuccess ? error : copy_out_of(part, rows));
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
    cudaMemcpyKind /*kind*/
) {
    const Part target{to, to_x, to_y}, source{from, x, y};
    for (const Part& part : {target, source})
        if (const cudaError_t error = refused(part, width, height); error != cudaSuccess) return done(error);
    return done(copy_now(at(target), at(source), {width, height}));
}
}
