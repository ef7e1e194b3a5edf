// Whether the arguments of a launch have the sizes of their parameters, as far as that can be seen: the
// driver is given where each begins, and no size.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace wl::cuda {

struct Arguments {
    const std::string& kernel;  // as people write it
    const ptx::Function& entry;
    const std::vector<void*>& given;      // by parameter
    const std::vector<std::byte>& taken;  // the parameter buffer that was made of them
};

// A sentence for each that does not fit: it overlaps another one, or is a floating point number of the other
// width by its bytes.
std::vector<std::string> doubts_of_arguments(const Arguments& arguments);

}  // namespace wl::cuda
