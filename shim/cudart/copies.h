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

cudaError_t copy_now(Side to, Side from, Extent extent);
cudaError_t fill_now(Side to, unsigned value, unsigned element, Extent extent);

}  // namespace wl::cudart
