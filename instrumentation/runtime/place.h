// Where in a program's source a call of it was made.
#pragma once

#include <string>

namespace wl::runtime {

// "prog.cu:12" where the program was built with lines (-g, -lineinfo is of kernels alone), else the function
// and the file; empty: not even these. `at`: where the program goes on behind the call.
std::string place_of(const void* at);

}  // namespace wl::runtime
