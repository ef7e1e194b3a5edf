// CUDA C++ source to PTX; results are cached by content. NVRTC, found and opened at run time, is asked first:
// as it is, then with stand-ins for the headers of C. What holds host code goes to nvcc or to clang, where
// there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::compile {

struct CompileOptions {
    std::string source_path;  // the .cu, or PTX that is there already (ptx_file.h); shown in messages and
                              // .loc as `display_path`
    std::optional<std::string> text;  // in place of the file's
    std::string ptx;                  // that is there already, in place of any source
    std::string display_path;         // "kernels/v2c_3.cu"; empty: source_path
    std::vector<std::pair<std::string, std::string>> defines;  // -Dname=value
    std::vector<std::string> include;                          // searched before the toolkit's headers
    std::string arch = "compute_90";
    bool debug = false;  // -G: the debug build
    bool marks = true;   // warplens.cuh on the include path
    bool device_code =
        false;  // of a source with host code NVRTC may get what is for the device (device_code.h)
    std::vector<std::string> name_expressions;  // template instances whose lowered names are wanted
};

// Of NVRTC. What is less than full comes quicker, executes more instructions, and says nothing of lines: of
// an attention kernel in 48 versions 0.2, 0.25, 0.5 and over 1 s for 15, 6, 2.5 and 1 times the instructions
// (NVRTC 13.0, --Ofast-compile=max, mid, min and none).
enum class Effort : uint8_t { least, less, more, full };

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
