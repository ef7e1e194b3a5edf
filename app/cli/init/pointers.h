// Which parameters of an entry are addresses, by what its instructions do with them.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/ptx/module.h"

#include <vector>

namespace wl::app {

struct Pointer {
    bool followed = false;  // it, or it and an offset, is the address of an access
    bool added_to = false;  // of an atomic one
    bool stored =
        false;  // of one that writes, whatever its condition: st, atom, red, bulk copies and reductions
    bool escapes = false;  // it is handed to a function or kept in memory: what is done there is not followed
    bool texture = false;  // it is the handle of a texture or surface
    bool surface_written = false;
    DType element = DType::u8;  // of the first access
};

// One for each parameter. Followed is whatever is computed from a parameter without going through memory.
std::vector<Pointer> pointer_params(const ptx::Function& entry);

}  // namespace wl::app
