// cudaMemcpy and cudaMemset in their forms. Both sides are told by their addresses; the kind is only checked.
#include "shim/cudart/copies.h"

#include "instrumentation/runtime/captured.h"
#include "instrumentation/runtime/failed.h"
#include "shim/cudart/arrays.h"
#include "shim/cudart/streams.h"

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

// However many rows and slices there are, there is nothing in them.
bool is_empty(const Extent& e) { return e.width == 0 || e.height == 0 || e.depth == 0; }

// Rows or slices that lie on one another: no pitch of theirs says so many apart.
bool is_folded(const Side& side, const Extent& e) {
    uint64_t rows = 0, bytes = 0;
    if (is_empty(e)) return false;
    if (e.height > 1 && side.pitch < e.width) return true;
    if (e.depth <= 1) return false;
    return __builtin_mul_overflow(side.pitch, e.height - 1, &rows) ||
        __builtin_add_overflow(rows, e.width, &bytes) || side.slice < bytes;
}

// What it touches, from its first byte to its last, is the device's own; it can then wait with what waits.
bool is_of_device(const runtime::Machine& machine, const Side& side, const Extent& e) {
    if (is_empty(e)) return false;
    const uint64_t bytes = (e.depth - 1) * side.slice + (e.height - 1) * side.pitch + e.width;
    return runtime::is_of_device(machine.memory, side.address, bytes) &&
        !machine.later.freed.contains(runtime::region_of(machine.memory, side.address)->base);
}

}  // namespace

namespace {

runtime::CapturedSide side_of(Side side, Extent e, bool write) {
    if (is_empty(e)) return {};
    const uint64_t bytes = (e.depth - 1) * side.slice + (e.height - 1) * side.pitch + e.width;
    return {side.address, bytes, write, bytes == e.depth * e.height * e.width};
}

}  // namespace

std::vector<runtime::CapturedSide> sides_of(Side to, Side from, Extent extent) {
    return {side_of(to, extent, true), side_of(from, extent, false)};
}
std::vector<runtime::CapturedSide> sides_of(Side to, Extent extent) { return {side_of(to, extent, true)}; }

cudaError_t refused_device_side(uint64_t address) {
    const Call call = begin_without_looking();
    return runtime::region_of(call.machine.memory, address) != nullptr ? cudaSuccess
                                                                       : refused(call.machine, {address});
}

// Pinned and managed memory is the device's as well, and a copy on the host may be of anything.
cudaError_t refused_kind(cudaMemcpyKind kind, uint64_t to, uint64_t from) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const cudaError_t error = to_device ? refused_device_side(to) : cudaSuccess;
    return error == cudaSuccess && from_device ? refused_device_side(from) : error;
}

namespace {

void add_rows(std::vector<runtime::TouchedRows>& rows, const Side& side, const Extent& e, bool write) {
    for (uint64_t z = 0; z < e.depth; ++z)
        rows.push_back({side.address + z * side.slice, side.pitch, e.width, e.height, write});
}

}  // namespace

cudaError_t copy_now(Side to, Side from, Extent extent, order::OperationPointer operation) {
    if (is_folded(to, extent) || is_folded(from, extent)) return cudaErrorInvalidValue;
    const Call call = begin_without_looking();
    runtime::Machine& m = call.machine;
    const bool issued = operation == nullptr;
    if (issued) operation = runtime::issue(m);
    if (issued && operation != nullptr && runtime::holds_back(m)) {
        // The bytes of pageable memory are taken when the copy is issued.
        if (runtime::is_visible(m, from.address)) {
            runtime::hold(m, operation, [=] { copy_now(to, from, extent, operation); });
            if (runtime::waits_for_copy(m, to.address, from.address)) runtime::host_waits_for(m, operation);
            return cudaSuccess;
        }
        runtime::do_held(m, operation->before);
    }
    if (runtime::is_waiting(m) && is_of_device(m, to, extent) && is_of_device(m, from, extent)) {
        runtime::defer(m, [=] { copy_now(to, from, extent, operation); });
        return cudaSuccess;
    }
    runtime::catch_up(m);
    if (const cudaError_t error = sticky_error(call.machine); error != cudaSuccess) return error;
    if (is_empty(extent)) return cudaSuccess;
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
    std::vector<runtime::TouchedRows> rows;
    add_rows(rows, from, extent, false), add_rows(rows, to, extent, true);
    const runtime::Touches touches = runtime::note_rows(m, operation, rows);
    if (extent.height == 1 && extent.depth == 1 && runtime::comes_to_host(m, to.address, from.address))
        runtime::tell_copied(m, operation, to.address, extent.width);
    if (issued && runtime::waits_for_copy(m, to.address, from.address))
        runtime::host_waits_for(m, operation);
    else if (touches != nullptr && !runtime::holds_back(m))
        runtime::watch(m, operation, touches->all);
    if (issued) runtime::note_staged(m, to.address, from.address, extent.width);
    if (runtime::issuing().operation == nullptr)
        for (const runtime::CapturedSide& s : sides_of(to, from, extent))
            runtime::note_use(m, s.begin, s.bytes);
    return cudaSuccess;
}

cudaError_t fill_now(
    Side to, unsigned value, unsigned element, Extent extent, order::OperationPointer operation
) {
    if (is_folded(to, extent)) return cudaErrorInvalidValue;
    const Call call = begin_without_looking();
    runtime::Machine& m = call.machine;
    const bool issued = operation == nullptr;
    if (issued) operation = runtime::issue(m);
    if (issued && operation != nullptr && runtime::holds_back(m)) {
        runtime::hold(m, operation, [=] { fill_now(to, value, element, extent, operation); });
        if (runtime::waits_for_fill(m, to.address)) runtime::host_waits_for(m, operation);
        return cudaSuccess;
    }
    if (runtime::is_waiting(m) && is_of_device(m, to, extent)) {
        runtime::defer(m, [=] { fill_now(to, value, element, extent, operation); });
        return cudaSuccess;
    }
    runtime::catch_up(m);
    if (const cudaError_t error = sticky_error(call.machine); error != cudaSuccess) return error;
    if (is_empty(extent)) return cudaSuccess;
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
    std::vector<runtime::TouchedRows> rows;
    add_rows(rows, to, extent, true);
    runtime::note_rows(m, operation, rows);
    if (issued && runtime::waits_for_fill(m, to.address)) runtime::host_waits_for(m, operation);
    return cudaSuccess;
}

namespace {

// Copies that a program waits for, in the default stream.
cudaError_t in_default_stream() { return implicit_while_captured(); }

// What kernels printed comes before the program goes on behind a copy that it waits for.
cudaError_t waited(cudaError_t error) {
    const Call call = begin_without_looking();
    flush_printed(call.machine);
    return done(error);
}

Side flat(const void* pointer, size_t bytes) { return {address_of(pointer), bytes, bytes}; }

std::vector<runtime::CapturedSide> sides_of_flat(const void* to, const void* from, size_t bytes) {
    return sides_of(flat(to, bytes), flat(from, bytes), {bytes});
}

cudaError_t plain(void* to, const void* from, size_t bytes) {
    return copy_now(flat(to, bytes), flat(from, bytes), {bytes});
}

// What is wrong before anything is copied; of nothing, nothing is.
cudaError_t refused_flat(const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return bytes == 0 ? cudaSuccess : refused_kind(kind, address_of(to), address_of(from));
}

// What it should have brought is missing, whether the program looks at the error or not.
cudaError_t failed(const void* to, size_t bytes, cudaError_t error) {
    runtime::note_failed_copy(
        begin_without_looking().machine, address_of(to), bytes, cudaGetErrorName(error)
    );
    return done(error);
}

struct Plane {
    void* to;
    size_t to_pitch;
    const void* from;
    size_t from_pitch, width, height;
};
cudaError_t refused_plane(const Plane& p, cudaMemcpyKind kind) {
    if (p.width > p.to_pitch || p.width > p.from_pitch) return cudaErrorInvalidPitchValue;
    return p.height == 0 ? cudaSuccess : refused_flat(p.to, p.from, p.width, kind);
}
cudaError_t copy_plane(const Plane& p) {
    return copy_now(
        {address_of(p.to), p.to_pitch, 0}, {address_of(p.from), p.from_pitch, 0}, {p.width, p.height}
    );
}
std::vector<runtime::CapturedSide> sides_of_plane(const Plane& p) {
    return sides_of(
        {address_of(p.to), p.to_pitch, 0}, {address_of(p.from), p.from_pitch, 0}, {p.width, p.height}
    );
}

// Both sides are the device's, of which there is one.
cudaError_t refused_peer(const void* to, int to_device, const void* from, int from_device, size_t bytes) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return refused_flat(to, from, bytes, cudaMemcpyDeviceToDevice);
}

Extent bytes_of(cudaExtent e, size_t element) { return {e.width * element, e.height, e.depth}; }

// False: the box leaves the array.
bool is_inside(const Array& a, const cudaPos& pos, const cudaExtent& e) {
    const auto fits = [](size_t from, size_t count, size_t all) {
        return from <= all && count <= all - from;
    };
    return fits(pos.x, e.width, a.extent.width) &&
        fits(pos.y, e.height, std::max<size_t>(a.extent.height, 1)) &&
        fits(pos.z, e.depth, std::max<size_t>(a.extent.depth, 1));
}

cudaError_t refused_side(
    const cudaMemcpy3DParms& p, cudaArray_const_t array, const cudaPitchedPtr& pointer, const cudaPos& pos
) {
    if (array == nullptr)
        return p.extent.width > pointer.pitch && p.srcArray == nullptr && p.dstArray == nullptr
            ? cudaErrorInvalidPitchValue
            : cudaSuccess;
    if (!is_array(array)) return cudaErrorInvalidResourceHandle;
    return pointer.ptr != nullptr || !is_inside(*array_of(array), pos, p.extent) ? cudaErrorInvalidValue
                                                                                 : cudaSuccess;
}

cudaError_t refused_3d(const cudaMemcpy3DParms& p) {
    if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) return cudaSuccess;
    for (const cudaError_t error :
         {refused_side(p, p.dstArray, p.dstPtr, p.dstPos),
          refused_side(p, p.srcArray, p.srcPtr, p.srcPos),
          p.kind < cudaMemcpyHostToHost || p.kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection
                                                                      : cudaSuccess})
        if (error != cudaSuccess) return error;
    const uint64_t to = p.dstArray != nullptr ? array_of(p.dstArray)->base : address_of(p.dstPtr.ptr);
    const uint64_t from = p.srcArray != nullptr ? array_of(p.srcArray)->base : address_of(p.srcPtr.ptr);
    return refused_kind(p.kind, to, from);
}

// Positions count elements where an array takes part, bytes where none does.
cudaError_t copy_3d(const cudaMemcpy3DParms& p) {
    if (const cudaError_t error = refused_3d(p); error != cudaSuccess) return error;
    if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) return cudaSuccess;
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

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    if (const cudaError_t error = in_default_stream(); error != cudaSuccess) return done(error);
    if (const cudaError_t error = refused_flat(to, from, bytes, kind); error != cudaSuccess)
        return failed(to, bytes, error);
    return waited(plain(to, from, bytes));
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream
) {
    if (const cudaError_t error = refused_flat(to, from, bytes, kind); error != cudaSuccess)
        return failed(to, bytes, error);
    const auto work = [=] { return plain(to, from, bytes); };
    return done(submit(stream, cudaGraphNodeTypeMemcpy, work, sides_of_flat(to, from, bytes)));
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    const cudaError_t error = refused_peer(to, to_device, from, from_device, bytes);
    return error != cudaSuccess ? done(error) : waited(plain(to, from, bytes));
}

cudaError_t cudaMemcpyPeerAsync(
    void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream
) {
    const cudaError_t error = refused_peer(to, to_device, from, from_device, bytes);
    if (error != cudaSuccess) return done(error);
    const auto work = [=] { return plain(to, from, bytes); };
    return done(submit(stream, cudaGraphNodeTypeMemcpy, work, sides_of_flat(to, from, bytes)));
}

cudaError_t cudaMemcpy2D(
    void* to,
    size_t to_pitch,
    const void* from,
    size_t from_pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind kind
) {
    const Plane plane{to, to_pitch, from, from_pitch, width, height};
    if (const cudaError_t error = in_default_stream(); error != cudaSuccess) return done(error);
    const cudaError_t error = refused_plane(plane, kind);
    return error != cudaSuccess ? done(error) : waited(copy_plane(plane));
}

cudaError_t cudaMemcpy2DAsync(
    void* to,
    size_t to_pitch,
    const void* from,
    size_t from_pitch,
    size_t width,
    size_t height,
    cudaMemcpyKind kind,
    cudaStream_t stream
) {
    const Plane plane{to, to_pitch, from, from_pitch, width, height};
    if (const cudaError_t error = refused_plane(plane, kind); error != cudaSuccess) return done(error);
    const auto work = [plane] { return copy_plane(plane); };
    return done(submit(stream, cudaGraphNodeTypeMemcpy, work, sides_of_plane(plane)));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return waited(copy_described(*p)); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return done(submit(stream, cudaGraphNodeTypeMemcpy, [p = *p] { return copy_described(p); }));
}
}
