// cudaMemset in its forms.
#include "shim/cudart/copies.h"
#include "shim/cudart/streams.h"

namespace wl::cudart {
namespace {

struct Fill {
    Side to;
    Extent extent;
};

// A fill of nothing is nowhere.
cudaError_t refused_fill(const Fill& f) {
    if (f.extent.width == 0 || f.extent.height == 0 || f.extent.depth == 0) return cudaSuccess;
    if (f.extent.height > 1 && f.extent.width > f.to.pitch) return cudaErrorInvalidValue;
    return refused_device_side(f.to.address);
}

cudaError_t fill(const Fill& f, int value) {
    if (const cudaError_t error = refused_fill(f); error != cudaSuccess) return done(error);
    if (const cudaError_t error = implicit_while_captured(); error != cudaSuccess) return done(error);
    return done(fill_now(f.to, static_cast<unsigned char>(value), 1, f.extent));
}

cudaError_t fill_in(cudaStream_t stream, const Fill& f, int value) {
    if (const cudaError_t error = refused_fill(f); error != cudaSuccess) return done(error);
    const auto work = [=] { return fill_now(f.to, static_cast<unsigned char>(value), 1, f.extent); };
    return done(submit(stream, cudaGraphNodeTypeMemset, work, sides_of(f.to, f.extent)));
}

Fill row(void* to, size_t bytes) {
    return {
        {address_of(to), bytes, 0},
        {bytes            }
    };
}
Fill rows(void* to, size_t pitch, size_t width, size_t height) {
    return {
        {address_of(to), pitch, 0},
        {width,              height              }
    };
}
Fill slices(const cudaPitchedPtr& to, const cudaExtent& e) {
    return {
        {address_of(to.ptr), to.pitch, to.pitch * to.ysize},
        {e.width,            e.height, e.depth            }
    };
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaMemset(void* to, int value, size_t bytes) { return fill(row(to, bytes), value); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return fill_in(stream, row(to, bytes), value);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return fill(rows(to, pitch, width, height), value);
}
cudaError_t cudaMemset2DAsync(
    void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream
) {
    return fill_in(stream, rows(to, pitch, width, height), value);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent e) { return fill(slices(to, e), value); }
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent e, cudaStream_t stream) {
    return fill_in(stream, slices(to, e), value);
}
}
