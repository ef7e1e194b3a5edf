// Several texts of PTX as one.
#pragma once

#include <string>
#include <vector>

namespace wl::cuda {

struct LinkInput {
    std::string name, bytes;  // PTX, a fat binary that holds it, or what only a GPU runs
};

// One module of PTX. CUDA's library of the device runtime (libcudadevrt.a) adds nothing that a kernel here
// can call. Throws Error that names an input which is no PTX.
std::string linked(const std::vector<LinkInput>& inputs);

}  // namespace wl::cuda
