// Where instructions go when others come and go; for the files of this folder.
#pragma once

#include "instrumentation/ptx/edit/select.h"
#include "instrumentation/ptx/parse/parse_snippet.h"

#include <cstdint>
#include <vector>

namespace wl::ptx {

struct Addition {
    uint32_t at = 0;  // in the code as it was; its size: the end of the body
    bool after = false;
    Snippet snippet;
};

// Puts the additions in, in their order, and takes `removed` out. `declarations` is the function without its
// code, with what the additions declare. Branches to an instruction reach what was put before it, or what
// follows it when it is gone. Returns where the new instructions are.
Places splice(
    Module& module,
    size_t function,
    Function&& declarations,
    std::vector<Addition>&& additions,
    const std::vector<uint32_t>& removed
);

// The function without its code.
Function declarations_of(Module& module, size_t function);

}  // namespace wl::ptx
