// Where what comes with the program lies: kernels, lessons.
#pragma once

#include <string>

namespace wl::manifest {

// $VARIABLE, else NAME beside the program, else share/warplens/NAME, else NAME of the source tree.
std::string shipped_folder(const std::string& name, const char* variable);

}  // namespace wl::manifest
