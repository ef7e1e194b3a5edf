// A kernel started from the host, by whichever function.
#pragma once

#include "shim/cudart/state.h"

#include <vector>

namespace wl::cudart {

struct Shape {
    dim3 grid, block;
    size_t shared = 0;
    bool cooperative = false;
    bool programmatic = false;  // cudaLaunchAttributeProgrammaticStreamSerialization
};
// Where <<<>>> stands whose configuration was taken last, once; nullptr: there was none.
const void* take_configured_place();
cudaError_t launch(const void* function, const Shape& shape, void** args, cudaStream_t stream);
// With the parameter buffer as it is.
cudaError_t launch_with(
    const void* function, const Shape& shape, std::vector<std::byte> params, cudaStream_t stream
);

}  // namespace wl::cudart
