// Copies and fills of any shape, as work of a stream.
#pragma once

#include "shim/cudart/state.h"

namespace wl::cudart {

// Where a three-dimensional copy begins on one side, and how far its rows and slices lie apart, bytes.
struct Side {
    uint64_t address = 0, pitch = 0, slice = 0;
};
struct Extent {
    uint64_t width = 0, height = 1, depth = 1;  // width: bytes
};

// What a copy, or a fill, of this shape touches.
std::vector<runtime::CapturedSide> sides_of(Side to, Side from, Extent extent);
std::vector<runtime::CapturedSide> sides_of(Side to, Extent extent);

// Why a copy of this kind cannot be between these addresses, which say where they lie themselves.
cudaError_t refused_kind(cudaMemcpyKind kind, uint64_t to, uint64_t from);
// A target of a fill, or what a call of the driver takes for memory of the device.
cudaError_t refused_device_side(uint64_t address);

// `operation`: which it is, where it was issued before; nullptr: the next one.
cudaError_t copy_now(Side to, Side from, Extent extent, order::OperationPointer operation = nullptr);
cudaError_t fill_now(
    Side to, unsigned value, unsigned element, Extent extent, order::OperationPointer operation = nullptr
);

}  // namespace wl::cudart
