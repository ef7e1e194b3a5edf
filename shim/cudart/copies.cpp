// cudaMemcpy and cudaMemset in their forms. Both sides are told by their addresses; the kind is only checked.
#include "shim/cudart/copies.h"

#include "shim/cudart/arrays.h"

#include <cstring>

namespace wl::cudart {
namespace {

// Neither side's bytes are all there.
cudaError_t refused(runtime::Machine& machine, std::initializer_list<uint64_t> addresses) {
    for (const uint64_t address : addresses)
        if (const runtime::FreedRegion* freed = runtime::freed_at(machine.memory, address))
            runtime::tell_note(
                machine, "the program copies or fills " + freed->name + ", which it had freed"
            );
    return cudaErrorInvalidValue;
}

// What it touches, from its first byte to its last, is the device's own; it can then wait with what waits.
bool is_of_device(const runtime::Machine& machine, const Side& side, const Extent& e) {
    if (e.width == 0 || e.height == 0 || e.depth == 0) return false;
    const uint64_t bytes = (e.depth - 1) * side.slice + (e.height - 1) * side.pitch + e.width;
    return runtime::is_of_device(machine.memory, side.address, bytes) &&
        !machine.later.freed.contains(runtime::region_of(machine.memory, side.address)->base);
}

}  // namespace

cudaError_t copy_now(Side to, Side from, Extent extent) {
    const Call call = begin_without_looking();
    runtime::Machine& m = call.machine;
    if (runtime::is_waiting(m) && is_of_device(m, to, extent) && is_of_device(m, from, extent)) {
        runtime::put_off(m, [=] { copy_now(to, from, extent); });
        return cudaSuccess;
    }
    runtime::catch_up(m);
    if (const cudaError_t error = lasting(call.machine); error != cudaSuccess) return error;
    for (uint64_t z = 0; z < extent.depth; ++z)
        if (!runtime::copy(
                call.machine.memory,
                to.address + z * to.slice,
                to.pitch,
                from.address + z * from.slice,
                from.pitch,
                {extent.width, extent.height}
            ))
            return refused(call.machine, {to.address, from.address});
    return cudaSuccess;
}

cudaError_t fill_now(Side to, unsigned value, unsigned element, Extent extent) {
    const Call call = begin_without_looking();
    runtime::Machine& m = call.machine;
    if (runtime::is_waiting(m) && is_of_device(m, to, extent)) {
        runtime::put_off(m, [=] { fill_now(to, value, element, extent); });
        return cudaSuccess;
    }
    runtime::catch_up(m);
    if (const cudaError_t error = lasting(call.machine); error != cudaSuccess) return error;
    std::byte bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (uint64_t z = 0; z < extent.depth; ++z)
        if (!runtime::fill(
                call.machine.memory,
                to.address + z * to.slice,
                to.pitch,
                {bytes, element},
                {extent.width, extent.height}
            ))
            return refused(call.machine, {to.address});
    return cudaSuccess;
}

namespace {

// What kernels printed comes before the program goes on behind a copy that it waits for.
cudaError_t waited(cudaError_t error) {
    const Call call = begin_without_looking();
    flush_printed(call.machine);
    return done(error);
}

Side flat(const void* pointer, size_t bytes) { return {address_of(pointer), bytes, bytes}; }

cudaError_t plain(void* to, const void* from, size_t bytes) {
    return copy_now(flat(to, bytes), flat(from, bytes), {bytes});
}

Extent bytes_of(cudaExtent e, size_t element) { return {e.width * element, e.height, e.depth}; }

// Positions count elements where an array takes part, bytes where none does.
cudaError_t copy_3d(const cudaMemcpy3DParms& p) {
    const Array* array = p.dstArray != nullptr ? array_of(p.dstArray)
        : p.srcArray != nullptr                ? array_of(p.srcArray)
                                               : nullptr;
    const size_t element = array != nullptr ? array->texel : 1;
    const auto side = [&](cudaArray_const_t a, const cudaPitchedPtr& pointer, cudaPos pos) {
        Side s = a != nullptr ? side_of(*array_of(a))
                              : Side{address_of(pointer.ptr), pointer.pitch, pointer.pitch * pointer.ysize};
        s.address += pos.x * (a != nullptr ? element : 1) + pos.y * s.pitch + pos.z * s.slice;
        return s;
    };
    Side from = side(p.srcArray, p.srcPtr, p.srcPos), to = side(p.dstArray, p.dstPtr, p.dstPos);
    const Extent extent = bytes_of(p.extent, element);
    if (p.srcArray == nullptr && from.slice == 0) from.slice = from.pitch * extent.height;
    if (p.dstArray == nullptr && to.slice == 0) to.slice = to.pitch * extent.height;
    return copy_now(
        to, from, {extent.width, std::max<uint64_t>(extent.height, 1), std::max<uint64_t>(extent.depth, 1)}
    );
}

}  // namespace

cudaError_t copy_described(const cudaMemcpy3DParms& p) { return copy_3d(p); }

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/) {
    return waited(plain(to, from, bytes));
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/, cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] { return plain(to, from, bytes); }));
}

cudaError_t cudaMemcpyPeer(void* to, int /*to_device*/, const void* from, int /*from_device*/, size_t bytes) {
    return waited(plain(to, from, bytes));
}

cudaError_t cudaMemcpyPeerAsync(
    void* to, int /*to_device*/, const void* from, int /*from_device*/, size_t bytes, cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] { return plain(to, from, bytes); }));
}

cudaError_t cudaMemcpy2D(
    void* to,
    size_t to_pitch,
    const void* from,
    size_t from_pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind /*kind*/
) {
    if (width > to_pitch || width > from_pitch) return done(cudaErrorInvalidPitchValue);
    return waited(copy_now({address_of(to), to_pitch, 0}, {address_of(from), from_pitch, 0}, {width, height})
    );
}

cudaError_t cudaMemcpy2DAsync(
    void* to,
    size_t to_pitch,
    const void* from,
    size_t from_pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind /*kind*/,
    cudaStream_t stream
) {
    if (width > to_pitch || width > from_pitch) return done(cudaErrorInvalidPitchValue);
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [=] {
        return copy_now({address_of(to), to_pitch, 0}, {address_of(from), from_pitch, 0}, {width, height});
    }));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return waited(copy_described(*p)); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [p = *p] { return copy_described(p); }));
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return done(fill_now({address_of(to), bytes, 0}, static_cast<unsigned char>(value), 1, {bytes}));
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return done(submit(stream, cudaGraphNodeTypeMemset, [=] {
        return fill_now({address_of(to), bytes, 0}, static_cast<unsigned char>(value), 1, {bytes});
    }));
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return done(fill_now({address_of(to), pitch, 0}, static_cast<unsigned char>(value), 1, {width, height}));
}

cudaError_t cudaMemset2DAsync(
    void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream
) {
    return done(submit(stream, cudaGraphNodeTypeMemset, [=] {
        return fill_now({address_of(to), pitch, 0}, static_cast<unsigned char>(value), 1, {width, height});
    }));
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent e) {
    return done(fill_now(
        {address_of(to.ptr), to.pitch, to.pitch * to.ysize},
        static_cast<unsigned char>(value),
        1,
        {e.width, e.height, e.depth}
    ));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent e, cudaStream_t stream) {
    return done(submit(stream, cudaGraphNodeTypeMemset, [=] { return cudaMemset3D(to, value, e); }));
}
}
