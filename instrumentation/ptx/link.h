// Modules that were compiled apart, as one: what nvlink makes of them, in PTX (CUDA Binary Utilities; nvcc's
// manual, "Using Separate Compilation").
#pragma once

#include <string>
#include <vector>

namespace wl::ptx {

// A name that is visible means one thing in all of them: of its definitions the one that is not .weak or
// .common counts, else the first. What is a module's own stays so, under another name where that is taken.
// Lines stay those of their files; debug information is the first module's. One text is given back as it is.
// Throws Error where a name is defined twice, and as parse does.
std::string linked(const std::vector<std::string>& texts);

}  // namespace wl::ptx
