// A kernel started from the host, by whichever function.
#pragma once

#include "shim/cudart/state.h"

namespace wl::cudart {

struct Shape {
    dim3 grid, block;
    size_t shared = 0;
    bool cooperative = false;
};
cudaError_t launch(const void* function, const Shape& shape, void** args, cudaStream_t stream);

}  // namespace wl::cudart
