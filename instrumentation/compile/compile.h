// CUDA C++ source to PTX; results are cached by content. NVRTC, found and opened at run time, is asked first:
// as it is, then with stand-ins for the headers of C. What holds host code goes to nvcc or to clang, where
// there is one.
#pragma once

#include "instrumentation/compile/options.h"

#include <string>
#include <vector>

namespace wl::compile {

struct Compiled {
    std::string ptx;
    std::string log;                         // warnings
    std::vector<std::string> lowered_names;  // one for each name expression
    std::string source_text;                 // what was compiled
    std::string compiler;                    // "NVRTC", "nvcc", "clang"
    std::vector<std::string> found;          // folders of headers that nobody named, found near the source
    double seconds = 0;                      // 0.0 when it came from the cache
    bool cached = false;
};

// Throws Error holding the compiler's message with the user's file and line, and, of host code that no
// compiler here takes, which line needs what; when NVRTC is not found, where it was looked for and how to get
// it.
Compiled compile(const CompileOptions& options);

// Path of the NVRTC in use and its version ("13.0"), or the reason why there is none.
std::string describe_compiler();

}  // namespace wl::compile
