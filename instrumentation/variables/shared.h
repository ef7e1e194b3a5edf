// Shared variables that debug information leaves out: NVRTC describes no __shared__ array that is declared
// inside a function, and an optimised build describes nothing. Their names, sizes and, by how they are used,
// types.
#pragma once

#include "instrumentation/variables/variables.h"

#include <map>
#include <string>

namespace wl::variables {

// Adds a variable for each .shared variable of the module that none of `variables` is placed in. Named as in
// C++: _ZZ6kernelE5words is words, a second one of the function words_0. Arrays have one extent, of elements
// whose type is that of a WL_TILE or WL_LAYOUT at its address, else that of all loads and stores through its
// address, else bytes. Returns by PTX name how the type was found: "float by its accesses".
std::map<std::string, std::string> add_shared(Variables& variables, const ptx::Module& module);

}  // namespace wl::variables
