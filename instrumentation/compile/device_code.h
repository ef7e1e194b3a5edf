// A source without its host code: what NVRTC, which takes device code alone, can compile of a file with a
// main.
#pragma once

#include <string>

namespace wl::compile {

// The same text with host functions and #includes of the host's C++ library blanked out by spaces, so that
// every offset and every line stays. A function without __global__, __device__ or constexpr is a host
// function (CUDA C++ Programming Guide, "Function Execution Space Specifiers"), in a class too. Kept are
// directives, functions whose head names a macro, and everything that is no function. The text as it is where
// nothing is for the host, where brackets do not match, and where a kernel is static or in an unnamed
// namespace: only the host's launch keeps such a kernel.
std::string device_code(const std::string& source);

// `text` was refused; `log` has what NVRTC said ("PATH(12): error: ..." or "PATH:12: error: ..."). The
// declarations and #includes in which errors stand are blanked out, as a global std::vector. The text as it
// is where an error stands in device code or in another file.
std::string without_refused(const std::string& text, const std::string& log, const std::string& path);

}  // namespace wl::compile
