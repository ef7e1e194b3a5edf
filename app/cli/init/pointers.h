// Which parameters of an entry are addresses, by what its instructions do with them.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/ptx/module.h"

#include <vector>

namespace wl::app {

struct Pointer {
    bool followed = false;      // it, or it and an offset, is the address of an access
    bool added_to = false;      // of an atomic one
    DType element = DType::u8;  // of the first such access
};

// One for each parameter. Followed are copies, additions and the address of a multiply-add; what was
// multiplied or converted is an index.
std::vector<Pointer> pointer_params(const ptx::Function& entry);

}  // namespace wl::app
