// Names of kernels as their authors wrote them.
#pragma once

#include <string>

namespace wl {

// "_Z5scalePf" is "scale(float*)"; a name that is no mangled one stays as it is.
std::string demangle(const std::string& name);

}  // namespace wl
