// What is compiled, and how.
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

}  // namespace wl::compile
